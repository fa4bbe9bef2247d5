import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../../shared/decide/decide.ts';
import { type CallEvidence, isAssumed, readinessFeatures } from '../../shared/decide/readiness.ts';
import type { Tool } from '../../shared/model/tool.ts';
import { depsOf, tool } from './catalogue.ts';

const featureOf = async (task: string, name: string, made: Tool): Promise<number> => {
  const seen: CallEvidence[] = [];
  await decide({ task }, { ...depsOf([made]), onEvidence: (evidence) => seen.push(evidence) });
  const [evidence] = seen;
  assert.ok(evidence !== undefined, `nothing is drafted for ${task}`);
  return new Map(readinessFeatures(evidence)).get(name) ?? 0;
};

const weather = tool(
  'weather_forecast',
  'Tells the weather forecast of a city for a date',
  { city: { type: 'string', description: 'The city' }, date: { type: 'string', description: 'The date' } },
  ['city'],
);

test('X.09 an unexplained word right beside a value counts against the call, one elsewhere does not', async () => {
  assert.equal(await featureOf('weather forecast for Boston suburbs', 'beside', weather), 1);
  assert.equal(await featureOf('weather forecast for Boston, suburbs too', 'beside', weather), 0);
});

test('X.09 a day that nobody took counts where a date was left open', async () => {
  assert.equal(await featureOf('weather forecast for Boston on March 14th', 'open for moment', weather), 1);
  assert.equal(await featureOf('weather forecast for Boston on 2024-03-14', 'open for moment', weather), 0);
});

test('X.09 a day whose year nobody knows makes no call ready that leaves the date open', async () => {
  const forecast = async (task: string, now?: number) => decide({ task, now }, depsOf([weather]));
  const left = await forecast('weather forecast for Boston on March 14th');
  assert.equal(left.ready, false);
  assert.match(left.notes.join('; '), /no year/u);
  const placed = await forecast('weather forecast for Boston on March 14th', Date.UTC(2026, 2, 10));
  assert.deepEqual(placed.arguments, { city: 'Boston', date: '2026-03-14' });
  assert.doesNotMatch(placed.notes.join('; '), /no year/u);
  const evidence = await featureOf('weather forecast for Boston on March 14th', 'undated', weather);
  assert.equal(evidence, 1);
});

test('X.09 what a word marks as a value is no assumption, what nothing marks is', () => {
  const made = { value: 'single', confidence: 0.7, from: 'single' };
  assert.equal(isAssumed({ ...made, source: 'sort' }), false);
  assert.equal(isAssumed({ ...made, source: 'phrase' }), true);
  assert.equal(isAssumed({ ...made, source: 'proper', how: 'gazetteer' }), true);
});

test('X.09 words that another parameter took are no rival value of a parameter', async () => {
  const task = 'the area of a triangle with sides 3, 4 and 5';
  const side = { type: 'number', description: 'A side of the triangle' };
  const sides = { side1: side, side2: side, side3: side };
  const area = tool('triangle_area', 'Computes the area of a triangle from its sides', sides, Object.keys(sides));
  const [all, left] = [await featureOf(task, 'weakest', area), await featureOf(task, 'weakest left', area)];
  assert.ok(left > all, `${left} is not more than ${all}`);
});
