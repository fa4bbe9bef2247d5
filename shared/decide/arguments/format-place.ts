import { termOf } from '../../search/text.ts';
import { countryCode, readPlace, stateName } from './places.ts';
import type { Slot } from './slot.ts';

/** A place in the form that a slot asks for: the city alone, `City, ST`, the state or the country. */
export const formatPlace = (slot: Slot, said: string): string => {
  const place = readPlace(said);
  const wants = (word: string): boolean => slot.nameTerms.includes(word);
  const part = /^(?<name>.+?)\s(?:sub-?)?(?<kind>district|county|province|prefecture|borough|ward)$/iu.exec(
    said,
  )?.groups;
  // `Mong Kok District` is Mong Kok where the name of a district is asked for.
  if (part?.name !== undefined && wants(termOf(part.kind?.toLowerCase() ?? ''))) return part.name;
  if (wants('state') || wants('provinc')) return stateForm(slot, place.state) ?? said;
  if (wants('countri')) return countryForm(slot, place.country ?? said);
  if (/^\d/u.test(said) && /street|address/iu.test(slot.description)) {
    return /street, city(?!, ?state)/iu.test(slot.description) ? said.replace(/,\s?[A-Z]{2}$/u, '') : said;
  }
  if (
    /city[,/ ]+(?:and )?(?:state|country)/iu.test(slot.description) ||
    /\p{Lu}\w+, [A-Z]{2}\b/u.test(slot.description)
  )
    return withRegion(slot, said);
  if (wants('citi') && place.city !== undefined) return place.city;
  return said;
};

const withRegion = (slot: Slot, said: string): string => {
  const { city, state, country } = readPlace(said);
  if (city === undefined) return said;
  if (state !== undefined) return `${city}, ${stateForm(slot, state) ?? state}`;
  return country === undefined || said.includes(',') || !/country/iu.test(slot.description)
    ? said
    : `${city}, ${country}`;
};

const countryForm = (slot: Slot, country: string): string =>
  /iso|2-letter|two-letter|country code|'[A-Z]{2}'/iu.test(slot.description)
    ? (countryCode(country) ?? country)
    : country;

/** Two letters, unless the examples write the state out. */
const stateForm = (slot: Slot, code: string | undefined): string | undefined => {
  if (code === undefined) return undefined;
  const letters = /\b[A-Z]{2}\b|abbreviat|two-letter/u.test(slot.description);
  const full = /,\s(?:California|New York|Texas|Florida)|full name/u.test(slot.description);
  return full || (!letters && !/state/iu.test(slot.description)) ? (stateName(code) ?? code) : code;
};
