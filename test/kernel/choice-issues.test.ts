import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeIssues, validatorFor } from '../../shared/kernel/json-schema.ts';

const form = (name: string, more: object = {}) => ({
  type: 'object',
  properties: { [name]: { type: 'string', minLength: 2 }, ...more },
  required: [name],
  additionalProperties: false,
});
const picture = { oneOf: [form('key'), form('base64')] };
const check = validatorFor({
  type: 'object',
  properties: {
    image: picture,
    many: { type: 'array', items: { anyOf: [picture, { type: 'number' }] } },
    twice: { oneOf: [{ type: 'number' }, { type: 'integer' }] },
  },
});

test('a value that matches no alternative is told what the nearest one lacks, once, or which ones there are', () => {
  for (const [value, message] of [
    [{ image: { key: 5 } }, 'image.key must be string'],
    [{ image: { base64: '' } }, 'image.base64 must NOT have fewer than 2 characters'],
    [{ image: 'photo.jpg' }, 'image must be {key} or {base64}'],
    [{ image: {} }, 'image.key is required'],
    [{ many: [1, { base64: 7 }] }, 'many.1.base64 must be string'],
    [{ twice: 3 }, 'twice must match exactly one schema in oneOf'],
  ] as const)
    assert.equal(describeIssues(check(value).issues), message);
});
