import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Registration } from '../../shared/model/registration.ts';
import { testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

interface Page {
  readonly tools: readonly Registration[];
  readonly next_cursor?: string;
}

const named = (page: Page): readonly string[] => page.tools.map(({ spec }) => spec.name);

describe('the registry over HTTP', () => {
  test('R1.01 R2.03 a tool is checked, registered and given an id', async () => {
    const { json } = await testAssay();

    const { status, body } = await json<Registration>('POST', '/v1/tools', aTool({ version: '1.0.0' }));

    assert.equal(status, 201);
    assert.equal(body.id, 'weather_lookup@1.0.0');
    assert.match(body.created_at ?? '', /^\d{4}-\d\d-\d\dT/);
  });

  test('R4.02b registering an identical definition answers 200, the same version with another spec 409', async () => {
    const { json } = await testAssay();
    await json('POST', '/v1/tools', aTool({ version: '1.0.0' }));

    assert.equal((await json('POST', '/v1/tools', aTool({ version: '1.0.0' }))).status, 200);
    const { status, body } = await json<{ error: { code: string; message: string } }>(
      'POST',
      '/v1/tools',
      aTool({ version: '1.0.0', description: 'Other' }),
    );
    assert.equal(status, 409);
    assert.match(body.error.message, /register the change under a higher version/);
  });

  test('POST /v1/definitions/check returns what registering would, and stores nothing', async () => {
    const { json } = await testAssay();
    const check = async (fields: object) => {
      const { status, body } = await json<Record<string, unknown>>(
        'POST',
        '/v1/definitions/check',
        aTool({ ...fields }),
      );
      return [status, body.outcome ?? (body.error as { code: string }).code, body.becomes_default];
    };

    assert.deepEqual(await check({ version: '1.0.0' }), [200, 'new', true]);
    assert.equal((await json('GET', '/v1/tools/weather_lookup')).status, 404);
    await json('POST', '/v1/tools', aTool({ version: '1.0.0' }));
    assert.deepEqual(await check({ version: '1.0.0' }), [200, 'identical', true]);
    assert.deepEqual(await check({ version: '0.9.0' }), [200, 'version', false]);
    assert.deepEqual(await check({ version: '1.0.0', description: 'Other' }), [409, 'Conflict', undefined]);
    assert.deepEqual(await check({ name: 'no name' }), [400, 'InvalidInput', undefined]);
  });

  test('a real-world definition is kept unchanged, with a warning for each pattern that is not enforced', async () => {
    const { json } = await testAssay();
    const definition = aTool({
      name: `upstream_${'x'.repeat(119)}`,
      title: 'Wait',
      annotations: { readOnlyHint: true, openWorldHint: false, costHint: 'low' },
      icons: [{ src: 'https://example.org/i.png', sizes: ['48x48'] }],
      _meta: { 'example.org/x': [1, null] },
      input_examples: [{ city: 'Bern', then: { city: 'Basel' } }],
      parameters: {
        type: 'object',
        properties: { city: { type: 'string', pattern: '^(?!-)[A-Z].*' }, then: { $ref: '#' } },
        required: ['city'],
      },
    });

    const { status, body } = await json<Registration>('POST', '/v1/tools', definition);

    assert.equal(status, 201);
    assert.deepEqual(body.spec, { ...definition, tags: [] });
    assert.match(body.warnings?.[0] ?? '', /^parameters\/properties\/city\/pattern .* is kept but not enforced/);
    const invoke = (args: unknown) =>
      json<{ status?: string; error?: { message: string } }>('POST', `/v1/tools/${definition.name}/invoke`, {
        arguments: args,
      });
    assert.equal((await invoke({ city: '-', then: { city: 'b' } })).body.status, 'ok');
    assert.match((await invoke({ city: 'a', then: {} })).body.error?.message ?? '', /then\.city is required/);
  });

  test('R2.02 a second tool of the same name is refused and the first is kept', async () => {
    const { json } = await testAssay();
    await json('POST', '/v1/tools', aTool());

    assert.equal((await json('POST', '/v1/tools', aTool({ description: 'Second' }))).status, 409);
    const { body } = await json<Registration>('GET', '/v1/tools/weather_lookup');
    assert.equal(body.spec.description, 'Look up the weather of a city');
  });

  test('R1.02 R2.06 GET /v1/tools lists all tools with name, description, parameters and type', async () => {
    const { json } = await testAssay();
    for (const name of ['b', 'a', 'c']) await json('POST', '/v1/tools', aTool({ name }));
    await json('PATCH', '/v1/tools/c', { enabled: false });

    const { body } = await json<Page>('GET', '/v1/tools');

    assert.deepEqual(named(body), ['a', 'b']);
    for (const { spec } of body.tools)
      assert.deepEqual([spec.type, typeof spec.description, spec.parameters.type], ['function', 'string', 'object']);
    assert.deepEqual(named((await json<Page>('GET', '/v1/tools?include_disabled=true')).body), ['a', 'b', 'c']);
  });

  test('R1.16 R3.08 tools are filtered by tags, category, pattern, capability and allowed names', async () => {
    const { json } = await testAssay();
    await json(
      'POST',
      '/v1/tools',
      aTool({ name: 'aws_get', tags: ['aws', 'read'], category: 'Storage', capabilities: ['supports_streaming'] }),
    );
    await json('POST', '/v1/tools', aTool({ name: 'aws_put', tags: ['aws'], category: 'Storage' }));
    await json('POST', '/v1/tools', aTool({ name: 'mail', tags: ['read'] }));
    const list = async (query: string) => named((await json<Page>('GET', `/v1/tools?${query}`)).body);

    assert.deepEqual(await list('tags=aws,read'), ['aws_get']);
    assert.deepEqual(await list('category=Storage'), ['aws_get', 'aws_put']);
    assert.deepEqual(await list('name_pattern=aws_'), ['aws_get', 'aws_put']);
    assert.deepEqual(await list('capability=supports_streaming'), ['aws_get']);
    assert.deepEqual(await list('allowed=mail,aws_put,nobody'), ['aws_put', 'mail']);
    assert.deepEqual(await list('tags=nothing'), []);
  });

  test('a list of tools is paged by cursor, without gaps or repeats', async () => {
    const { json } = await testAssay();
    const names = Array.from({ length: 25 }, (_, index) => `tool_${String(index).padStart(2, '0')}`);
    for (const name of names) await json('POST', '/v1/tools', aTool({ name }));

    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await json<Page>('GET', `/v1/tools?limit=10${cursor && `&cursor=${cursor}`}`);
      seen.push(...named(body));
      cursor = body.next_cursor ?? '';
    } while (cursor);

    assert.deepEqual(seen, names);
  });

  test('R4.09d text search finds tools, ranked, in English and Chinese', async () => {
    const { json } = await testAssay();
    await json('POST', '/v1/tools', aTool({ name: 'send_mail', description: 'Send an e-mail message to a person' }));
    await json('POST', '/v1/tools', aTool({ name: 'tianqi', description: '查询城市的天气预报' }));
    await json('POST', '/v1/tools', aTool({ name: 'readFileText', description: 'Reads a file' }));
    const first = async (q: string) => named((await json<Page>('GET', `/v1/tools?q=${encodeURIComponent(q)}`)).body)[0];

    assert.equal(await first('sending messages'), 'send_mail');
    assert.equal(await first('天气'), 'tianqi');
    assert.equal(await first('read file'), 'readFileText');
    await json('DELETE', '/v1/tools/send_mail');
    assert.notEqual(await first('sending messages'), 'send_mail');
  });

  test('R2.04 R3.05 a tool read by name has an ETag, and answers 304 when it matches', async () => {
    const { json, request } = await testAssay();
    await json('POST', '/v1/tools', aTool());

    const first = await request('GET', '/v1/tools/weather_lookup');
    const etag = first.headers.get('etag') ?? '';
    const second = await request('GET', '/v1/tools/weather_lookup', undefined, undefined, { 'if-none-match': etag });
    assert.deepEqual([first.status, second.status, await second.text()], [200, 304, '']);
    await json('PATCH', '/v1/tools/weather_lookup', { enabled: false });
    const third = await request('GET', '/v1/tools/weather_lookup', undefined, undefined, { 'if-none-match': etag });
    assert.equal(third.status, 200);
  });

  test('R2.05 an unknown tool name answers 404 with the nearest name', async () => {
    const { json } = await testAssay();
    await json('POST', '/v1/tools', aTool());

    const { status, body } = await json<{ error: { message: string } }>('GET', '/v1/tools/weather_lokup');
    assert.equal(status, 404);
    assert.match(body.error.message, /did you mean weather_lookup\?/);
  });

  test('R1.19 a tool is read at its default version, an exact one, or the highest in a range', async () => {
    const { json } = await testAssay();
    for (const version of ['1.0.0', '1.2.0', '2.0.0']) await json('POST', '/v1/tools', aTool({ version }));
    const id = async (query: string) => (await json<Registration>('GET', `/v1/tools/weather_lookup${query}`)).body.id;

    assert.equal(await id(''), 'weather_lookup@2.0.0');
    assert.equal(await id('?version=1.0.0'), 'weather_lookup@1.0.0');
    assert.equal(await id('?version=%5E1'), 'weather_lookup@1.2.0');
    assert.equal((await json('GET', '/v1/tools/weather_lookup?version=9.0.0')).status, 404);
    const { body } = await json<{ versions: unknown[]; default_version: string }>(
      'GET',
      '/v1/tools/weather_lookup/versions',
    );
    assert.deepEqual([body.versions.length, body.default_version], [3, '2.0.0']);
    await json('PATCH', '/v1/tools/weather_lookup', { default_version: '1.2.0' });
    assert.equal(await id(''), 'weather_lookup@1.2.0');
  });

  test('R1.03 a tool is removed by name or by id, and repeating it succeeds', async () => {
    const { json } = await testAssay();
    for (const version of ['1.0.0', '2.0.0']) await json('POST', '/v1/tools', aTool({ version }));

    assert.equal((await json('DELETE', '/v1/tools/weather_lookup@2.0.0')).status, 204);
    assert.equal((await json<Registration>('GET', '/v1/tools/weather_lookup')).body.default_version, '1.0.0');
    assert.equal((await json('DELETE', '/v1/tools/weather_lookup?version=1.0.0')).status, 204);
    assert.equal((await json('DELETE', '/v1/tools/weather_lookup')).status, 204);
    assert.equal((await json('GET', '/v1/tools/weather_lookup')).status, 404);
  });

  test('R4.07 a snapshot exported over HTTP restores exactly on another instance', async () => {
    const [one, two] = [await testAssay(), await testAssay()];
    await one.json('POST', '/v1/tools', aTool({ version: '1.0.0' }));
    await one.json('POST', '/v1/tools', aTool({ version: '1.1.0' }));
    await one.json('PATCH', '/v1/tools/weather_lookup', { enabled: false, deprecated: 'old' });
    await two.json('POST', '/v1/tools', aTool({ name: 'goes_away' }));
    const { body: snapshot } = await one.json<{ tools: unknown }>('GET', '/v1/snapshot');

    const imported = await two.json<{ tools: unknown }>('POST', '/v1/snapshot', snapshot);

    assert.equal(imported.status, 200);
    assert.deepEqual(imported.body.tools, snapshot.tools);
  });

  test('R4.09g one tenant never sees, changes or removes the tools of another', async () => {
    const { json, key } = await testAssay();
    const acme = await key({ scopes: ['read', 'write', 'invoke'], tenant: 'acme' });
    const evil = await key({ scopes: ['read', 'write', 'invoke'], tenant: 'evil' });
    await json('POST', '/v1/tools', aTool(), acme);

    assert.equal((await json('GET', '/v1/tools/weather_lookup', undefined, evil)).status, 404);
    assert.deepEqual((await json('GET', '/v1/tools?q=weather', undefined, evil)).body, { tools: [] });
    assert.equal((await json('PATCH', '/v1/tools/weather_lookup', { enabled: false }, evil)).status, 404);
    assert.equal(
      (await json('POST', '/v1/tools/weather_lookup/invoke', { arguments: { city: 'x' } }, evil)).status,
      404,
    );
    assert.equal((await json('DELETE', '/v1/tools/weather_lookup', undefined, evil)).status, 204);
    assert.equal((await json('GET', '/v1/tools/weather_lookup', undefined, acme)).status, 200);
    assert.equal((await json('POST', '/v1/tools', aTool({ description: 'Mine' }), evil)).status, 201);
  });

  test('a change by another process is visible once the cache has expired', async () => {
    let now = Date.now();
    const { assay, json } = await testAssay({ clock: { now: () => now, newId: () => String(now) } });
    await json('GET', '/v1/tools');
    const other = await testAssay({ table: assay.table, clock: { now: () => now, newId: () => 'x' } });
    await other.json('POST', '/v1/tools', aTool());

    assert.equal((await json('GET', '/v1/tools/weather_lookup')).status, 404);
    now += 101;
    assert.equal((await json('GET', '/v1/tools/weather_lookup')).status, 200);
  });

  test('R4.09b R3.11 invoking a mock tool with named arguments returns its outcome', async () => {
    const { json } = await testAssay();
    await json('POST', '/v1/tools', aTool());

    const { status, body } = await json<{ status: string; output: unknown; call_id: string }>(
      'POST',
      '/v1/tools/weather_lookup/invoke',
      { arguments: { city: 'Bern' } },
    );
    assert.deepEqual([status, body.status, body.output], [200, 'ok', { temperature: 21 }]);
    const missing = await json<{ error: { message: string; details: { field: string } } }>(
      'POST',
      '/v1/tools/weather_lookup/invoke',
      { arguments: {} },
    );
    assert.deepEqual([missing.status, missing.body.error.details.field], [400, 'arguments.city']);
  });
});
