import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Tool } from '../../shared/model/tool.ts';
import { convert, formatResults, lintTool, providerNames } from '../../shared/providers/index.ts';
import { aTool } from './support/tools.ts';

const tools: readonly Tool[] = [
  aTool(),
  aTool({
    name: 'images.compare',
    description: 'Compare two images',
    permission: 'confirm',
    output_schema: { type: 'object', properties: { score: { type: 'number' } }, required: ['score'] },
    parameters: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        image: { $ref: '#/$defs/Image', description: 'The picture' },
        reference: { $ref: '#/$defs/Image' },
        'crop-box': { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'integer' }], minItems: 2 },
        scale: { enum: [1, 2, 4], default: 1 },
        gamma: { type: ['number', 'null'], exclusiveMinimum: 0 },
        mode: { const: 'full' },
      },
      required: ['image', 'reference'],
      additionalProperties: false,
      $defs: {
        Image: {
          oneOf: [
            {
              type: 'object',
              properties: { key: { type: 'string', minLength: 1 } },
              required: ['key'],
              additionalProperties: false,
            },
            {
              type: 'object',
              properties: { base64: { type: 'string', contentEncoding: 'base64' } },
              required: ['base64'],
              additionalProperties: false,
            },
          ],
        },
      },
    },
  }),
  aTool({
    name: 'tree',
    description: 'Store a tree with notes',
    parameters: {
      type: 'object',
      properties: {
        root: { $ref: '#/$defs/Node' },
        notes: { type: 'object', additionalProperties: { type: 'string' } },
        anything: {},
      },
      anyOf: [{ required: ['root'] }, { required: ['notes'] }],
      $defs: {
        Node: {
          type: 'object',
          properties: { label: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/Node' } } },
          required: ['label'],
        },
      },
    },
  }),
  aTool({
    name: `github_${'list_all_the_comments_of_every_pull_request_'.repeat(2)}since`,
    description: 'List comments',
    permission: 'confirm',
    title: 'List comments',
    annotations: { title: 'Comments', readOnlyHint: true, destructiveHint: false, openWorldHint: true },
    icons: [{ src: 'https://example.org/icon.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'light' }],
    _meta: { 'example.org/team': 'pictures' },
    input_examples: [{ since: 'P1D' }, { since: 'P2W', also: { since: 'P1D' } }],
    parameters: {
      type: 'object',
      properties: { since: { type: 'string', pattern: '^P(?=.)[0-9DWMY]+$' }, also: { $ref: '#' } },
      required: ['since'],
      additionalProperties: false,
    },
  }),
];

const results = [
  { id: 'call_1', name: 'score', output: { score: 3.5 } },
  { id: 'call_2', name: 'images.compare', output: 'done' },
  { id: 'call_3', name: 'tree', error: { code: 'NotFound', message: 'no such image' } },
];

for (const provider of providerNames) {
  test(`${provider} definitions equal the golden files exactly`, async () => {
    const actual = {
      plain: convert(provider, tools),
      strict: convert(provider, tools, { strict: true }),
      ...(provider === 'gemini' ? { json: convert(provider, tools, { schema: 'json' }) } : {}),
      defer: convert(provider, tools.slice(0, 1), { defer: true }),
      search: convert(provider, tools, { mode: 'search' }),
      results: formatResults(provider, results),
    };

    await matches(provider, actual);
  });
}

test('the warnings of registering equal the golden file exactly', async () => {
  await matches('lint', await Promise.all(tools.map((tool) => lintTool(tool))));
});

/** Compares with the golden file; UPDATE_GOLDEN=1 writes it anew, to be read before it is kept. */
async function matches(name: string, actual: unknown): Promise<void> {
  const file = new URL(`../golden/providers/${name}.json`, import.meta.url);
  if (process.env.UPDATE_GOLDEN) await writeFile(file, `${JSON.stringify(actual, null, 2)}\n`);
  const expected: unknown = JSON.parse(await readFile(file, 'utf8'));
  assert.deepEqual(JSON.parse(JSON.stringify(actual)), expected);
}
