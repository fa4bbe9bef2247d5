import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPlace } from '../../shared/decide/arguments/format-place.ts';
import { readForValues } from '../../shared/decide/arguments/reading.ts';
import { slotsOf } from '../../shared/decide/arguments/slot.ts';

const placesIn = (task: string): readonly string[] =>
  readForValues(task, undefined).spans.flatMap(({ kind, text }) => (kind === 'proper' ? [text] : []));

const [city] = slotsOf({
  properties: {
    city: { type: 'string', description: "As 'City, State' or 'City, Country': 'Boise, ID', 'London, UK'" },
  },
});
const formatted = (said: string) => {
  assert.ok(city !== undefined);
  const { value, completed } = formatPlace(city, said);
  return [value, completed];
};

test('X.09 a state after a city is read, though its letters are a word or it is written small', () => {
  assert.deepEqual(placesIn('find a concert in Portland, OR, on Monday'), ['Portland, Oregon', 'Monday']);
  assert.deepEqual(placesIn('events in Fort Wayne, IN please'), ['Fort Wayne, Indiana']);
  assert.deepEqual(placesIn('a flat in Mountain View california with a garage'), ['Mountain View, California']);
  assert.deepEqual(placesIn('what is on in Portland,or.'), ['Portland, Oregon']);
});

test('X.09 a small word after a city is no state', () => {
  assert.deepEqual(placesIn('flights to Portland, or Seattle'), ['Portland', 'Seattle']);
  assert.deepEqual(placesIn('we are in Boston, OK?'), ['Boston']);
  assert.deepEqual(placesIn('fly me to Miami, in June'), ['Miami', 'June']);
  assert.deepEqual(placesIn('a trip to Tulsa, OK for two'), ['Tulsa, Oklahoma']);
});

test('X.09 a state is certain where only one city has the name, and assumed where others have it too', () => {
  assert.deepEqual(formatted('Gilroy'), ['Gilroy, CA', 'well known']);
  assert.deepEqual(formatted('Portland'), ['Portland, OR', 'assumed']);
  assert.deepEqual(formatted('Springfield')[1], 'assumed');
});

test('X.09 a country is written out where its two letters are those of a state', () => {
  assert.deepEqual(formatted('Toronto')[0], 'Toronto, Canada');
  assert.deepEqual(formatted('Manchester, UK')[0], 'Manchester, UK');
});
