import { termOf } from '../../search/text.ts';
import {
  cityName,
  countryCode,
  isCity,
  isOnlyOne,
  isWellKnown,
  type Place,
  readPlace,
  regionOfCity,
  stateName,
} from './places.ts';
import type { Slot } from './slot.ts';

/** Formats a place as the slot asks: the city alone, `City, ST`, the state or the country. */
export const formatPlace = (slot: Slot, said: string): FormattedPlace => {
  const place = readPlace(said);
  const wants = (word: string): boolean => slot.nameTerms.includes(word);
  const part = partOf(slot, said);
  if (part !== undefined) return part;
  if (wants('state') || wants('provinc')) {
    if (place.state !== undefined) return fits(stateForm(slot, place.state));
    return { value: said, fits: !isCity(said) && place.country === undefined };
  }
  if (wants('countri')) {
    if (place.country !== undefined) return fits(countryForm(slot, place.country));
    return { value: said, fits: place.state === undefined && !isCity(said) };
  }
  if (/^\d/u.test(said) && /street|address/iu.test(slot.description)) {
    return fits(/street, city(?!, ?state)/iu.test(slot.description) ? said.replace(/,\s?[A-Z]{2}$/u, '') : said);
  }
  if (wantsRegion(slot)) return withRegion(slot, said, place);
  // A large city is not a district.
  if (wants('district') && isWellKnown(place.city ?? '')) return { value: said, fits: false };
  // For a description such as `name of the city`, `Boston, MA` becomes Boston.
  if (CITY_NAME.test(slot.description) && said.includes(',') && !/^\d/u.test(said)) return fits(place.city ?? said);
  // `New York City` and `NYC` become New York.
  if (wants('citi') && place.city !== undefined) return fits(cityName(place.city));
  return fits(said);
};

/** Whether the slot asks for a city with its state or country. */
export const wantsRegion = ({ description }: Slot): boolean =>
  /city[,/ ]+(?:and )?(?:state|country)/iu.test(description) || /\p{Lu}\w+, [A-Z]{2}\b/u.test(description);

/** Formats a name such as `Chatuchak District` for a slot that asks for a district, province or the like. */
const partOf = (slot: Slot, said: string): FormattedPlace | undefined => {
  const part = PART.exec(said)?.groups;
  if (part?.name === undefined || part.kind === undefined || !slot.nameTerms.some((term) => PARTS.has(term)))
    return undefined;
  // Neither `Chonburi Province` nor `Sai Kong Subdistrict` is a district.
  const isAsked =
    slot.nameTerms.includes(termOf(part.kind.toLowerCase())) &&
    slot.nameTerms.includes('sub') === (part.sub !== undefined);
  if (!isAsked) return { value: said, fits: false };
  // `Mong Kok District` becomes Mong Kok, unless the description has examples with `District`.
  return fits(new RegExp(`\\p{Lu}\\p{L}* ${part.kind}\\b`, 'u').test(slot.description) ? said : part.name);
};
const PART = /^(?<name>.+?)\s(?<sub>sub-?)?(?<kind>district|county|province|prefecture|borough|ward)$/iu;
const PARTS: ReadonlySet<string> = new Set(
  ['district', 'county', 'province', 'prefecture', 'borough', 'ward'].map((kind) => termOf(kind)),
);
const CITY_NAME = /\bname of the city\b|\bcity name\b/iu;

export interface FormattedPlace {
  readonly value: string;
  /** False if the place is of another kind than the slot asks for. */
  readonly fits: boolean;
  /** Set if the state or country was added: `assumed` if other cities of the name are nearly as large. */
  readonly completed?: 'well known' | 'assumed';
}

const fits = (value: string): FormattedPlace => ({ value, fits: true });

const withRegion = (slot: Slot, said: string, place: Place): FormattedPlace => {
  if (said.includes(',')) {
    if (place.state !== undefined) return fits(`${place.city}, ${stateForm(slot, place.state)}`);
    return fits(place.country === undefined ? said : `${place.city}, ${shortCountry(slot, place.country)}`);
  }
  const known = regionOfCity(said);
  if (known?.state !== undefined)
    return {
      value: `${known.city}, ${stateForm(slot, known.state)}`,
      fits: true,
      completed: isOnlyOne(said) ? 'well known' : 'assumed',
    };
  if (known?.country === undefined || !/country/iu.test(slot.description)) return fits(said);
  return {
    value: `${known.city}, ${shortCountry(slot, known.country)}`,
    fits: true,
    completed: isOnlyOne(said) ? 'well known' : 'assumed',
  };
};

/** The country's two-letter code if the examples have one, such as `Paris, FR`. */
const shortCountry = (slot: Slot, country: string): string => {
  const examples = Array.from(slot.description.matchAll(/\p{Lu}[\p{L} ]+, ([A-Z]{2})\b/gu), ([, code = '']) => code);
  if (!examples.some((code) => stateName(code) === undefined)) return country;
  const code = countryCode(country);
  // `Toronto, CA` would be read as California.
  if (code !== undefined && stateName(code) !== undefined) return country;
  return code === 'GB' ? 'UK' : (code ?? country);
};

const countryForm = (slot: Slot, country: string): string =>
  /iso|2-letter|two-letter|country code|'[A-Z]{2}'/iu.test(slot.description)
    ? (countryCode(country) ?? country)
    : country;

/** The state's two-letter code or full name, whichever the description asks for or shows. */
const stateForm = (slot: Slot, code: string): string => {
  const letters = /\b[A-Z]{2}\b|abbreviat|two-letter/u.test(slot.description);
  const full = /\p{Lu}\w+,\s(?:California|New York|Texas|Florida)\b(?!,)|full name/u.test(slot.description);
  return full || (!letters && !/state/iu.test(slot.description)) ? (stateName(code) ?? code) : code;
};
