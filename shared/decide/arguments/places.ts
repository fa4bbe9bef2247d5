import data from '../../../metadata/places.json' with { type: 'json' };
import { lazily } from '../../kernel/lazily.ts';
import type { Span } from './span.ts';

/** The parts of a place, as far as they are known. */
export interface Place {
  readonly city?: string;
  /** The two-letter code of a state of the USA. */
  readonly state?: string;
  readonly country?: string;
}

/** Places in lower case, as in `weather of nyc`: up to three words after a preposition. */
export const findSmallPlaces = (text: string): readonly Span[] => {
  // If the text has capitals elsewhere, a single lower-case word is not a place, but two such as `san jose` are.
  const shortest = /[^.!?\s]\s+\p{Lu}/u.test(text) ? 2 : 1;
  return Array.from(text.matchAll(AFTER_PREPOSITION), (match) => {
    const words = (match[1] ?? '').split(' ');
    for (let length = words.length; length >= shortest; length--) {
      const said = words.slice(0, length).join(' ');
      const start = match.index + match[0].length - (match[1] ?? '').length;
      if (normal(said) in ALIASES || cities().has(normal(said)))
        return { kind: 'proper' as const, start, end: start + said.length, text: said };
    }
    return undefined;
  }).filter((span) => span !== undefined);
};

const AFTER_PREPOSITION = /(?<!\p{L})(?:in|at|of|for|from|to|near)\s(\p{Ll}{2,20}(?:\s\p{Ll}{2,20}){0,2})/gu;

/** Known Chinese place names, because no capitals or spaces mark them. */
export const findChinesePlaces = (text: string): readonly Span[] =>
  HAN.test(text)
    ? chineseNames().flatMap((name) =>
        Array.from(text.matchAll(new RegExp(name, 'gu')), ({ index }) => ({
          kind: 'proper' as const,
          start: index,
          end: index + name.length,
          text: name,
        })),
      )
    : [];

/** Joins the parts of an address: `San Francisco` and `California`, or `456`, `Elm St` and `Springville`. */
export const joinPlaces = (text: string, spans: readonly Span[]): readonly Span[] => {
  const joined: Span[] = [];
  for (const span of withStates(text, spans)) {
    const last = joined.at(-1);
    const between = last === undefined ? '' : text.slice(last.end, span.start);
    if (last !== undefined && span.kind === 'proper' && continues(last, between, span)) {
      joined[joined.length - 1] = {
        kind: 'proper',
        start: last.start,
        end: span.end,
        text: IN.test(between) ? `${last.text}, ${span.text}` : text.slice(last.start, span.end),
      };
    } else joined.push(span);
  }
  return joined;
};

/** Adds to cities a state that is not a span itself: `Portland, OR`, `Fremont, ca.`, `San Leandro california`. */
const withStates = (text: string, spans: readonly Span[]): readonly Span[] =>
  spans.map((span, at) => {
    if (span.kind !== 'proper' || isRegion(span.text) || !isCity(span.text)) return span;
    const [, code, small, name = ''] = STATE_AFTER.exec(text.slice(span.end, span.end + STATE_LENGTH)) ?? [];
    const state = code ?? small?.toUpperCase() ?? states().get(normal(name));
    if (state === undefined || !stateCodes().has(state)) return span;
    // `OK` in `We meet in Boston, OK?` is not Oklahoma.
    if (SMALL_TALK.has(state) && regionOfCity(span.text)?.state !== state) return span;
    const end = text.indexOf(code ?? small ?? name, span.end) + (code ?? small ?? name).length;
    if (spans.some((other, place) => place > at && other.start < end)) return span;
    return { ...span, end, text: `${span.text}, ${stateName(state)}` };
  });
/** Two lower-case letters, such as `or`, are a state only at the end of a sentence. */
const STATE_AFTER =
  /^(?:,\s?([A-Z]{2})(?![\p{L}’'])|,\s?([a-z]{2})(?=[.!?;]|\s*$)|,?\s(\p{Ll}{4,}(?:\s(?:carolina|dakota|hampshire|jersey|mexico|york|virginia|island))?)(?!\p{L}))/u;
const STATE_LENGTH = 24;
const SMALL_TALK: ReadonlySet<string> = new Set(['OK', 'HI']);

const continues = (last: Span, between: string, next: Span): boolean => {
  if (last.kind === 'number')
    return /^\s$/u.test(between) && STREET.test(next.text) && last.quantity?.spelled === false;
  if (last.kind === 'proper' && IN.test(between))
    return isCity(last.text) && !isRegion(last.text) && findState(next.text) !== undefined;
  if (last.kind !== 'proper' || !/^,\s?$/u.test(between)) return false;
  if (isRegion(last.text) && !isCity(last.text)) return false;
  if (/^[A-Z]{2}$/u.test(next.text)) return true;
  return isRegion(next.text) || (/^\d/u.test(last.text) && !last.text.includes(','));
};

/** As in `Lafayette in Louisiana`. */
const IN = /^\sin\s$/u;
const STREET =
  /(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Drive|Dr|Lane|Ln|Way|Court|Ct|Place|Pl|Square|Sq|Parkway|Pkwy|Apartments?|Plaza|Highway|Hwy|Terrace|Circle|Building|Tower|Camino|Calle|Avenida|Rue|Broadway|Platz)\b/u;
/** Splits a place into its parts. A shared name is that of the largest: Mexico, California and Peru are not towns. */
export const readPlace = (text: string): Place => {
  const [head = '', ...rest] = text.split(',').map((part) => part.trim());
  const region = rest.at(-1);
  if (region !== undefined) {
    const state = findState(region);
    if (state !== undefined) return { city: head, state };
    return { city: head, country: region };
  }
  if (isCountry(head)) return { country: head };
  const state = head.length > 2 ? findState(head) : undefined;
  if (state !== undefined) return { state };
  return { city: head };
};

const isCountry = (text: string): boolean => countryCode(text) !== undefined || countries().has(normal(text));

export const isCity = (text: string): boolean => normal(text) in ALIASES || cities().has(normal(text));

/** The usual name of a city: `new york city` and `NYC` become New York. */
export const cityName = (text: string): string => ALIASES[normal(text)] ?? text;

/** The state or country of a large city. Of the names shared with a state or country only New York is a city. */
export const regionOfCity = (text: string): Place | undefined => {
  const name = cityName(text);
  if (normal(name) !== 'new york' && (isCountry(name) || findState(name) !== undefined)) return undefined;
  const known = cities().get(normal(name));
  return known === undefined ? undefined : { city: name, ...known };
};

/** Whether a city is large and in the USA, and no other of its name is nearly as large. */
export const isWellKnown = (city: string): boolean => wellKnown().has(normal(city));

/** Whether a city is known and no other of its name is nearly as large. */
export const isOnlyOne = (city: string): boolean =>
  cities().has(normal(cityName(city))) && !sharedNames().has(normal(cityName(city)));

export const isKnownPlace = (text: string): boolean => {
  const [head = '', region] = text.split(',').map((part) => part.trim());
  if (region !== undefined && isRegion(region)) return true;
  const key = normal(head);
  return key in ALIASES || cities().has(key) || states().has(key) || countries().has(key);
};

/** The full name of a state, from its two-letter code. */
export const stateName = (code: string): string | undefined =>
  Object.entries(data.states).find(([, letters]) => letters === code)?.[0];

const isRegion = (text: string): boolean => findState(text) !== undefined || isCountry(text);

const findState = (text: string): string | undefined => {
  const letters = text.replaceAll('.', '');
  if (/^[A-Z]{2}$/u.test(letters) && stateCodes().has(letters)) return letters;
  return states().get(normal(text));
};

/** The two-letter code of a country, from its name. */
export const countryCode = (name: string): string | undefined => {
  const key = normal(name);
  return COUNTRY_ALIASES[key] ?? countryCodes().get(key);
};

const COUNTRY_ALIASES: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  uk: 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  usa: 'US',
  us: 'US',
  america: 'US',
  uae: 'AE',
  turkey: 'TR',
});

/** Cached, because every slot asks about the same few names of a task. */
const normal = (text: string): string => {
  const known = normals.get(text);
  if (known !== undefined) return known;
  const made = text.toLowerCase().replaceAll(/[.'’]/gu, '').replaceAll(/\s+/gu, ' ').trim();
  if (text.length > NORMAL_LENGTH) return made;
  if (normals.size >= NORMALS) normals.clear();
  normals.set(text, made);
  return made;
};
const normals = new Map<string, string>();
const NORMALS = 4096;
const NORMAL_LENGTH = 64;

const ALIASES: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  nyc: 'New York',
  'new york city': 'New York',
  la: 'Los Angeles',
  sf: 'San Francisco',
});

const states = lazily(() => new Map(Object.entries(data.states).map(([name, code]) => [normal(name), code])));
const wellKnown = lazily(() => new Set(data.well_known.split('|').map(normal)));
const sharedNames = lazily(() => new Set(data.shared_names.split('|').map(normal)));
const stateCodes = lazily(() => new Set(Object.values(data.states)));
const countries = lazily(() => new Set(data.countries.map(normal)));
const countryCodes = lazily(() => {
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  const chinese = new Intl.DisplayNames(['zh'], { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = new Map<string, string>();
  for (const code of letters.flatMap((one) => letters.map((two) => one + two))) {
    if (names.of(code) === undefined && chinese.of(code) === undefined) continue;
    // Codes of former countries, such as DD, have another canonical code and are left out.
    if (Intl.getCanonicalLocales(`und-${code}`)[0] !== `und-${code}`) continue;
    const name = normal(names.of(code) ?? '');
    if (name !== '' && !codes.has(name)) codes.set(name, code);
    const said = chinese.of(code) ?? '';
    if (HAN.test(said) && !codes.has(said)) codes.set(said, code);
  }
  return codes;
});
const HAN = /\p{Script=Han}/u;
const chineseNames = lazily(() => [
  ...new Set(
    [...data.world_cities[''].split('|'), ...data.countries, ...chineseCountries()].filter((name) => HAN.test(name)),
  ),
]);
const chineseCountries = (): readonly string[] => {
  const names = new Intl.DisplayNames(['zh'], { type: 'region', fallback: 'none' });
  return [...countryCodes().values()].map((code) => names.of(code) ?? '').filter((name) => name.length > 1);
};
const cities = lazily(() => {
  const known = new Map<string, Omit<Place, 'city'>>();
  for (const [state, list] of Object.entries(data.us_cities)) {
    for (const city of list.split('|')) known.set(normal(city), { state, country: 'USA' });
  }
  for (const [country, list] of Object.entries(data.world_cities)) {
    for (const city of list.split('|')) known.set(normal(city), { country });
  }
  return known;
});
