import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

interface Refusal {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details: Record<string, unknown>;
    readonly request_id: string;
  };
}

const nested = (levels: number): Record<string, unknown> =>
  levels === 0 ? { type: 'string' } : { type: 'object', properties: { inner: nested(levels - 1) } };

/** A body that must be refused, with the code, and what the message must name. */
const refused: readonly (readonly [string, unknown, string, RegExp])[] = [
  ['invalid JSON', '{"name": ', 'InvalidInput', /the body is not JSON/],
  ['an empty body', ' ', 'InvalidInput', /not JSON/],
  ['a list', [], 'InvalidInput', /must be a JSON object/],
  ['a wrong type', aTool({ description: 5 }), 'InvalidInput', /description .*expected string.*got 5/],
  ['an unknown field', aTool({ colour: 'red' }), 'InvalidInput', /unknown field colour: remove it/],
  [
    'an unknown nested field',
    aTool({ implementation: { type: 'mock', mock_response: 1, x: 2 } }),
    'InvalidInput',
    /unknown field implementation\.x/,
  ],
  ['a missing description', { ...aTool(), description: undefined }, 'InvalidInput', /description is required/],
  ['a blank description', aTool({ description: '   ' }), 'InvalidInput', /description/],
  ['a missing handler', { ...aTool(), handler: undefined }, 'InvalidInput', /handler is required/],
  ['a missing implementation', { ...aTool(), implementation: undefined }, 'InvalidInput', /implementation is required/],
  ['another type', aTool({ type: 'tool' }), 'InvalidInput', /type .*"function"/],
  [
    'a definition of 65 KB',
    aTool({ instructions: 'x', parameters: { type: 'object', description: 'x'.repeat(66_000) } }),
    'InvalidInput',
    /bytes; the limit is 65536/,
  ],
  ['a schema 40 levels deep', aTool({ parameters: nested(40) }), 'InvalidInput', /deep/],
  ['a body 200 levels deep', `{"name": ${'['.repeat(200)}${']'.repeat(200)}}`, 'InvalidInput', /nested deeper than/],
  [
    'an infinite number',
    '{"name": "x", "a": [{"b": -1e999}]}',
    'InvalidInput',
    /larger than .* at a\.0\.b; send a smaller one/,
  ],
  ['an infinite number in a list', '{"a": [1, 1e400]}', 'InvalidInput', /larger than 1\.79.*e\+308 at a\.1;/],
  ['__proto__ at the top', '{"__proto__": {"admin": true}, "name": "x"}', 'InvalidInput', /__proto__/],
  [
    '__proto__ in a schema',
    `{"name":"x","description":"d","type":"function","handler":"x","implementation":{"type":"mock","mock_response":1},"parameters":{"type":"object","properties":{"__proto__":{"type":"string"}}}}`,
    'InvalidInput',
    /__proto__/,
  ],
  ['constructor at the top', aTool({ constructor: 1 }), 'InvalidInput', /unknown field constructor/],
  ['a name with a slash', aTool({ name: 'a/b' }), 'InvalidInput', /name .*got "a\/b"/],
  ['a name of 129 characters', aTool({ name: 'a'.repeat(129) }), 'InvalidInput', /name /],
  ['a reserved name', aTool({ name: 'find_tools' }), 'InvalidInput', /find_tools is reserved/],
  ['a name that is a prototype', aTool({ name: '__proto__' }), 'InvalidInput', /__proto__ is reserved/],
  ['a name that starts with a digit', aTool({ name: '1st' }), 'InvalidInput', /name /],
  ['invalid SemVer', aTool({ version: '1.0' }), 'InvalidInput', /version .*such as 1\.2\.0, got "1\.0"/],
  [
    'parameters of another type',
    aTool({ parameters: { type: 'array' } }),
    'InvalidInput',
    /parameters\.type must be "object", not "array"/,
  ],
  [
    'parameters that are no schema',
    aTool({ parameters: { type: 'object', properties: { a: { type: 'strin' } } } }),
    'InvalidInput',
    /not a valid JSON Schema/,
  ],
  [
    'a required list that is no list',
    aTool({ parameters: { type: 'object', required: 'city' } }),
    'InvalidInput',
    /required must be array/,
  ],
  [
    'a reference outside the schema',
    aTool({ parameters: { type: 'object', properties: { a: { $ref: 'https://example.com/x.json' } } } }),
    'InvalidInput',
    /resolve/,
  ],
  [
    'an example that does not fit',
    aTool({ input_examples: [{ city: 'Bern' }, { city: 1 }] }),
    'InvalidInput',
    /input_examples\.1 does not fit parameters: city must be string/,
  ],
  [
    'an icon that is a script',
    aTool({ icons: [{ src: 'javascript:alert(1)' }] }),
    'InvalidInput',
    /icons\.0\.src must be an http\(s\) or data:image address/,
  ],
  ['both names', { ...aTool(), tool_name: 'x' }, 'InvalidInput', /tool_name is another name for name/],
  ['a negative price', aTool({ price_micros: -1 }), 'InvalidInput', /price_micros/],
  ['an unknown permission', aTool({ permission: 'sudo' }), 'InvalidInput', /permission .*"safe"/],
  [
    'a make_default that is no flag',
    { ...aTool(), make_default: 'yes' },
    'InvalidInput',
    /make_default must be true or false/,
  ],
];

describe('bad input', () => {
  for (const [what, body, code, message] of refused)
    test(`R2.12 ${what} is refused, stores nothing, and the error says what to do`, async () => {
      const { json } = await testAssay();

      const answer = await json<Refusal>('POST', '/v1/tools', body);

      assert.equal(answer.body.error.code, code);
      assert.match(answer.body.error.message, message);
      assert.ok(answer.body.error.request_id);
      assert.deepEqual((await json('GET', '/v1/tools?include_disabled=true')).body, { tools: [] });
    });

  test('R2.13 a mock tool needs mock_response, and null is a valid one', async () => {
    const { json } = await testAssay();

    const without = await json<Refusal>('POST', '/v1/tools', aTool({ implementation: { type: 'mock' } }));
    assert.match(without.body.error.message, /implementation\.mock_response is required/);
    assert.equal(
      (await json('POST', '/v1/tools', aTool({ implementation: { type: 'mock', mock_response: null } }))).status,
      201,
    );
  });

  test('R2.14 R2.15 builtin and internal tools need a handler that exists; the error suggests the nearest', async () => {
    const handler = { permission: 'safe', run: async () => 'x' } as const;
    const { json } = await testAssay({
      handlers: { builtin: new Map([['text_stats', handler]]), internal: new Map([['iqa', handler]]) },
    });

    const builtin = await json<Refusal>(
      'POST',
      '/v1/tools',
      aTool({ implementation: { type: 'builtin', handler: 'text_stat' } }),
    );
    assert.match(builtin.body.error.message, /"text_stat" is not a known builtin handler; did you mean text_stats\?/);
    const internal = await json<Refusal>(
      'POST',
      '/v1/tools',
      aTool({ implementation: { type: 'internal', handler: 'nothing' } }),
    );
    assert.equal(internal.status, 400);
    assert.equal(
      (await json('POST', '/v1/tools', aTool({ implementation: { type: 'internal', handler: 'iqa' } }))).status,
      201,
    );
    const missing = await json<Refusal>('POST', '/v1/tools', aTool({ name: 'b', implementation: { type: 'builtin' } }));
    assert.match(missing.body.error.message, /implementation\.handler is required/);
  });

  test('R2.16 an http tool is refused with exactly the documented message', async () => {
    const { json } = await testAssay();

    const { status, body } = await json<Refusal>(
      'POST',
      '/v1/tools',
      aTool({ implementation: { type: 'http', url: 'https://example.com' } }),
    );
    assert.deepEqual([status, body.error.message], [400, 'HTTP tools not yet supported (coming in v2)']);
  });

  test('forged, foreign and altered cursors are refused', async () => {
    const { json } = await testAssay();
    for (const name of ['a', 'b', 'c']) await json('POST', '/v1/tools', aTool({ name }));
    const { body } = await json<{ next_cursor: string }>('GET', '/v1/tools?limit=1');

    for (const cursor of ['x', '', '%00', body.next_cursor.slice(2), Buffer.from('a').toString('base64url')])
      assert.equal((await json('GET', `/v1/tools?limit=1&cursor=${cursor}`)).status, 400, cursor);
    assert.equal((await json('GET', `/v1/tools?limit=1&category=x&cursor=${body.next_cursor}`)).status, 400);
  });

  test('limits, types and distortions out of range are refused by name', async () => {
    const { json } = await testAssay();

    for (const query of ['limit=0', 'limit=1001', 'limit=ten', 'type=XR', 'distortion=Fog', 'include_disabled=maybe']) {
      const { status, body } = await json<Refusal>('GET', `/v1/tools?${query}`);
      assert.equal(status, 400, query);
      assert.ok(body.error.message.includes(query.split('=')[0] ?? ''), body.error.message);
    }
  });

  test('a hostile name pattern on long names is answered without delay', async () => {
    const { json } = await testAssay();
    await json('POST', '/v1/tools', aTool({ name: 'a'.repeat(128) }));

    assert.deepEqual((await json('GET', `/v1/tools?name_pattern=${encodeURIComponent('(a+)+$b')}`)).body, {
      tools: [],
    });
    assert.equal((await json('GET', '/v1/tools?name_pattern=%28')).status, 400);
  });

  test('a body over 4 MB answers 413 and points to uploads', async () => {
    const { json } = await testAssay();

    const { status, body } = await json<Refusal>('POST', '/v1/tools', `{"name": "${'x'.repeat(4_200_000)}"}`);
    assert.equal(status, 413);
    assert.match(body.error.message, /\/v1\/uploads/);
  });

  test('a body whose content type is not JSON is refused', async () => {
    const { request } = await testAssay();

    const response = await request('POST', '/v1/tools', 'name=x', undefined, { 'content-type': 'text/plain' });
    assert.equal(response.status, 400);
  });

  test('an unknown route answers 404 and points to the list of routes', async () => {
    const { json } = await testAssay();

    const { status, body } = await json<Refusal>('GET', '/v1/nothing');
    assert.equal(status, 404);
    assert.match(body.error.message, /openapi\.json/);
  });

  test('an unexpected error reveals nothing internal, and the log has it', async () => {
    const { json, log } = await testAssay({
      handlers: { builtin: new Map(), internal: new Map() },
      discover: async () => [],
      random: () => {
        throw new Error('the secret inside');
      },
    });

    const { status, body } = await json<Refusal>('POST', '/v1/keys', { scopes: ['read'] });
    assert.deepEqual([status, body.error.code], [500, 'Internal']);
    assert.ok(!JSON.stringify(body).includes('secret inside'));
    assert.ok(
      log.lines.some(
        ({ fields }) => fields.error === 'the secret inside' && fields.request_id === body.error.request_id,
      ),
    );
  });

  test('a parameter of the path is held to its own limits, where it has some', async () => {
    const { json } = await testAssay();
    const statusOf = async (id: string) => {
      const { status, body } = await json<Refusal>('GET', `/v1/confirmations/${id}`);
      return [status, body.error.code];
    };

    assert.deepEqual(await statusOf('a'.repeat(65)), [400, 'InvalidInput']);
    assert.deepEqual(await statusOf('a'.repeat(64)), [404, 'NotFound']);
  });
});
