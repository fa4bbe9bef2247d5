import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareDefinitions } from '../../functions/console/tools/compare-definitions.ts';

const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required });
const text = { type: 'string' };
const told = (before: object, after: object): readonly string[] =>
  compareDefinitions(before as never, after as never).map(
    ({ path, what, isBreaking }) => `${isBreaking ? '! ' : ''}${path} ${what}`,
  );

test('a comparison of versions marks what breaks callers', () => {
  const before = {
    version: '1.0.0',
    description: 'old',
    parameters: object({ city: text, unit: { type: 'string', enum: ['c', 'f'] }, at: text }, ['city']),
    output_schema: object({ degrees: { type: 'number' }, wind: text }, ['degrees']),
  };
  const after = {
    version: '2.0.0',
    description: 'new',
    permission: 'confirm',
    parameters: object({ city: { type: 'number' }, unit: { type: 'string', enum: ['c', 'f', 'k'] }, day: text }, [
      'city',
      'day',
    ]),
    output_schema: object({ degrees: { type: 'number', description: 'in Celsius' }, sky: text }),
  };

  assert.deepEqual(told(before, after), [
    'description "old" → "new"',
    '! parameters.city {"type":"string"} → {"type":"number"}',
    'parameters.unit {"type":"string","enum":["c","f"]} → {"type":"string","enum":["c","f","k"]}',
    '! parameters.at removed',
    '! parameters.day added, required',
    '! output.degrees no longer required',
    'output.degrees {"type":"number"} → {"type":"number","description":"in Celsius"}',
    '! output.wind removed',
    'output.sky added',
    '! permission nothing → "confirm"',
  ]);
  assert.deepEqual(told(before, { ...before, version: '1.0.1' }), []);
});
