import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import data from '../../metadata/places.json' with { type: 'json' };
import { argumentsFor } from '../../shared/decide/arguments.ts';
import type { JsonSchema } from '../../shared/kernel/json.ts';
import { sampleOf } from '../support/sampling.ts';
import { depsOf, tool } from './catalogue.ts';

const NOW = Date.UTC(2024, 4, 10, 12);

const text = (description: string): JsonSchema => ({ type: 'string', description });

const filled = async (
  task: string,
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
): Promise<Readonly<Record<string, unknown>>> => {
  const made = tool('made_up', description, properties, Object.keys(properties));
  return (await argumentsFor({ task, now: NOW }, made, depsOf([made]))).arguments;
};

const same = (one: unknown, other: string): boolean =>
  typeof one === 'string' && one.localeCompare(other, 'en', { sensitivity: 'base' }) === 0;

/** The cases in which a value came out as something else than what was said or its code. */
const replaced = async (
  cases: readonly { readonly task: string; readonly name: string; readonly allowed: readonly string[] }[],
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
): Promise<readonly string[]> => {
  const wrong: string[] = [];
  for (const { task, name, allowed } of cases) {
    const value = (await filled(task, description, properties))[name];
    if (value !== undefined && !allowed.some((each) => same(value, each))) wrong.push(`${task} -> ${String(value)}`);
  }
  return wrong;
};

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const namesOf = (type: Intl.DisplayNamesType, codes: readonly string[]): readonly (readonly [string, string])[] => {
  const names = new Intl.DisplayNames(['en'], { type, fallback: 'none' });
  return codes.flatMap((code) => {
    const name = names.of(code);
    return name === undefined ? [] : [[code, name] as const];
  });
};
const pairs = letters.flatMap((one) => letters.map((two) => one + two));
const countries = namesOf('region', pairs);
const languages = namesOf(
  'language',
  pairs.map((pair) => pair.toLowerCase()),
);
const currencies = Intl.supportedValuesOf('currency');
const cities = [...Object.values(data.us_cities), ...Object.values(data.world_cities)].flatMap((list) =>
  list
    .split('|')
    .filter((name) => /^\p{Script=Latin}[\p{Script=Latin} -]+$/u.test(name))
    .slice(0, 2),
);

describe('X.09 decisions never invent an argument', () => {
  test('every country name is extracted unchanged', async () => {
    assert.ok(countries.length > 250);
    const cases = sampleOf(countries, 60).map(([code, name]) => ({
      task: `What is the capital of ${name}?`,
      name: 'country',
      allowed: [name, code, name.replace(/^the /iu, '')],
    }));
    const wrong = await replaced(cases, 'The capital of a country', { country: text('Name of the country') });
    // Part of a long name may be taken for it; another country never.
    assert.deepEqual(
      wrong.filter((each) => !each.split(' -> ')[0]?.includes(each.split(' -> ')[1] ?? '?')),
      [],
    );
  });

  test('every state of the USA is extracted unchanged, as a name and as two letters', async () => {
    const states = Object.entries(data.states);
    assert.equal(states.length, 51);
    for (const description of ['Name of the state', 'Two-letter code of the state, such as CA']) {
      const cases = sampleOf(states, 20).map(([name, code]) => ({
        task: `facts about ${name}`,
        name: 'state',
        allowed: [name, code],
      }));
      assert.deepEqual(await replaced(cases, 'Facts about a state', { state: text(description) }), []);
    }
  });

  test('large city names are extracted unchanged', async () => {
    assert.ok(cities.length > 200);
    const cases = sampleOf(cities, 60).map((name) => ({ task: `weather in ${name}`, name: 'city', allowed: [name] }));
    assert.deepEqual(await replaced(cases, 'Weather of a city', { city: text('Name of the city') }), []);
  });

  test('a city fills no country parameter, and a country no city parameter', async () => {
    assert.equal((await filled('weather in Boston', 'Weather', { country: text('The country') })).country, undefined);
    const state = (await filled('weather in Brazil', 'Weather', { state: text('The state') })).state;
    assert.ok(state === undefined || state === 'Brazil', String(state));
  });

  test('every currency is extracted unchanged, as source and as target', async () => {
    const properties = { from_currency: text('Currency of the amount'), to_currency: text('Currency wanted') };
    for (const [at, code] of sampleOf([...currencies.entries()], 40)) {
      const other = currencies[(at + 7) % currencies.length] ?? '';
      const given = await filled(`convert 10 ${code} to ${other}`, 'Converts money', properties);
      assert.deepEqual(given, { from_currency: code, to_currency: other });
    }
  });

  test('every language is extracted unchanged', async () => {
    assert.ok(languages.length > 150);
    const cases = sampleOf(languages, 50).map(([code, name]) => ({
      task: `translate 'good morning' into ${name}`,
      name: 'target_language',
      allowed: [name, code],
    }));
    const properties = { text: text('The text'), target_language: text('Language to translate into') };
    const wrong = await replaced(cases, 'Translates a text', properties);
    assert.deepEqual(
      wrong.filter((each) => !each.split(' -> ')[0]?.includes(each.split(' -> ')[1] ?? '?')),
      [],
    );
  });

  test('every unit is extracted unchanged', async () => {
    const properties = {
      value: { type: 'number' },
      from_unit: text('Unit of the value'),
      to_unit: text('Unit wanted'),
    };
    const units =
      'miles kilometers meters feet inches yards kilograms pounds ounces grams liters gallons hours minutes'.split(' ');
    for (const [at, unit] of units.entries()) {
      const other = units[(at + 1) % units.length] ?? '';
      const given = await filled(`convert 12 ${unit} to ${other}`, 'Converts units', properties);
      assert.deepEqual(given, { value: 12, from_unit: unit, to_unit: other });
    }
  });

  test('every country fills its own code, and no city or state of the USA', async () => {
    const wrong: string[] = [];
    for (const [code, name] of sampleOf(countries, 40)) {
      const given = await filled(`news about ${name}`, 'News', { country: text('ISO 3166 two-letter country code') });
      const place = await filled(`weather in ${name}`, 'Weather', {
        location: text('City and state, e.g. Boston, MA'),
      });
      const [current = ''] = Intl.getCanonicalLocales(`und-${code}`);
      if (given.country !== undefined && given.country !== current.slice(4) && !name.includes(String(given.country)))
        wrong.push(`${name} -> ${String(given.country)}`);
      if (place.location !== undefined && !name.includes(String(place.location)))
        wrong.push(`${name} -> ${String(place.location)}`);
    }
    assert.deepEqual(wrong, []);
  });

  test('every state of the USA is kept where a city and a state are asked for', async () => {
    for (const [name, code] of sampleOf(Object.entries(data.states), 20)) {
      const { location } = await filled(`Is it raining in ${name}?`, 'Weather', {
        location: text('The city and state, e.g. San Francisco, CA'),
      });
      const allowed = name === 'New York' ? [name, 'New York, NY'] : [name, code, undefined];
      assert.ok(allowed.includes(location as string), `${name} -> ${String(location)}`);
    }
  });

  test('every language fills its own code, and money of an unknown country none', async () => {
    for (const [code, name] of sampleOf(languages, 30)) {
      const { target } = await filled(`translate 'good morning' into ${name}`, 'Translates a text', {
        text: text('The text'),
        target: text("Code of the language, such as 'en'"),
      });
      const current = Intl.getCanonicalLocales(code)[0]?.slice(0, 2);
      assert.ok(
        target === undefined ||
          target === current ||
          namesOf('language', [String(target)])[0]?.[1] === name ||
          name.includes(String(target)),
        `${name} -> ${String(target)}`,
      );
    }
    const { currency } = await filled('what are 20 Zimbabwean Dollars worth', 'Worth of money', {
      currency: text('Currency code'),
    });
    assert.notEqual(currency, 'USD');
  });

  test('every unit is kept, however the conversion is worded', async () => {
    const properties = {
      value: { type: 'number' },
      from_unit: text('Unit of the value'),
      to_unit: text('Unit wanted'),
    };
    const units =
      'meter metre kilometer centimeter mile foot inch yard km cm mm kilogram gram kg pound ounce ton liter gallon cup hour minute day week celsius fahrenheit kelvin joule calorie byte megabyte stone acre hectare knot mph'.split(
        ' ',
      );
    for (const [at, unit] of sampleOf([...units.entries()], 16)) {
      const other = units[(at + 3) % units.length] ?? '';
      for (const task of [`how many ${other} is 12 ${unit}`, `12 ${unit} in ${other}`]) {
        const given = await filled(task, 'Converts units', properties);
        assert.deepEqual({ from_unit: unit, to_unit: other, ...given }, { value: 12, from_unit: unit, to_unit: other });
      }
    }
  });
});
