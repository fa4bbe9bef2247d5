import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { ADMIN_KEY } from '../support/assay.ts';
import { callEdge, edgeEvent, edgeOn, type Headers } from '../support/edge.ts';
import { type EdgeWorld, fillEdgeWorld, idOf, makeEdgeWorld, TENANTS } from '../support/edge-world.ts';

/** Requests that the edge answers by itself. */
const answered = [
  '/v1/tools',
  '/v1/tools?limit=3',
  '/v1/tools?tags=a,b',
  '/v1/tools?tags=a&category=even',
  '/v1/tools?capability=supports_streaming',
  '/v1/tools?include_disabled=true',
  '/v1/tools?allowed=acme_tool_01,same_name,nothing',
  '/v1/tools?allowed=',
  '/v1/tools?type=FR',
  '/v1/tools?distortion=Blurs',
  '/v1/tools?cursor=bm90LW91cnM',
  '/v1/tools?unknown=ignored',
  '/v1/tools/same_name',
  '/v1/tools/shipped_one',
  '/v1/providers/openai/tools',
  '/v1/providers/gemini/tools?explain=true',
  '/v1/providers/gemini/tools?schema=json',
  '/v1/providers/anthropic/tools?defer=true',
  '/v1/providers/mcp/tools?allowed=same_name',
  '/v1/providers/bedrock/tools?tags=shipped',
  '/v1/providers/cohere/tools?mode=search',
  '/v1/providers/ollama/tools?category=none',
  '/v1/providers/nobody/tools',
  '/v1/providers/openai/tools?explain=maybe',
  '/v1/prompt',
  '/v1/prompt?allowed=same_name,shipped_one',
] as const;

/** Requests that go on to the origin. */
const passed = [
  '/v1/tools?q=weather',
  '/v1/tools?name_pattern=acme.*',
  '/v1/tools?limit=0',
  '/v1/tools?type=XX',
  '/v1/tools/not_there',
  '/v1/tools/same_name/versions',
  '/v1/tools/same_name?version=%5E1',
  '/v1/providers/openai/tools?strict=true',
  '/v1/providers',
  '/v1/usage',
  '/healthz',
  '/',
] as const;

describe('C.01 the edge answers as the API does', () => {
  let world: EdgeWorld;
  let edge: ReturnType<typeof edgeOn>;
  before(async () => {
    world = await makeEdgeWorld();
    await fillEdgeWorld(world);
    await world.publish();
    edge = edgeOn(world.blobs, world.clock);
  });

  const both = async (path: string, headers: Headers) => {
    const sent = { 'x-request-id': 'the-same', ...headers };
    const api = await world.given.app.request(path, { headers: sent });
    const at = await callEdge(edge.handler, edgeEvent(path, sent));
    return { api, apiBody: await api.text(), at };
  };
  const same = async (path: string, headers: Headers): Promise<string> => {
    const { api, apiBody, at } = await both(path, headers);
    assert.equal(at.passed, undefined, `${path} was passed on`);
    assert.equal(at.status, api.status);
    assert.equal(at.body, apiBody);
    for (const name of ['etag', 'content-type', 'cache-control', 'x-request-id', 'www-authenticate'])
      assert.equal(at.headers[name] ?? null, api.headers.get(name), `${path} ${name}`);
    for (const name of ['assay-warnings', 'assay-tokens'])
      assert.equal(at.headers[name] ?? null, api.headers.get(name), `${path} ${name}`);
    return at.headers.etag ?? '';
  };
  const bearer = (name: string): Headers => ({ authorization: `Bearer ${world.keys[name]}` });

  for (const who of [...TENANTS, 'confined', 'admin'])
    test(`the edge answers ${who} with the API’s status, body and ETag, and 304 to a matching ETag`, async () => {
      for (const path of answered) {
        const isMissing = path === '/v1/tools/same_name' && (who === 'empty' || who === 'confined');
        if (isMissing) continue;
        const etag = await same(path, bearer(who));
        if (etag === '') continue;
        await same(path, { ...bearer(who), 'if-none-match': etag });
        await same(path, { ...bearer(who), 'if-none-match': `"other", W/${etag}` });
      }
    });

  test('the edge answers each page of a list as the origin does', async () => {
    let path = '/v1/tools?limit=4&include_disabled=true';
    const seen: string[] = [];
    for (let page = 0; page < 10; page++) {
      await same(path, bearer('acme'));
      const { apiBody } = await both(path, bearer('acme'));
      const { tools, next_cursor } = JSON.parse(apiBody) as { tools: { id: string }[]; next_cursor?: string };
      seen.push(...tools.map(({ id }) => id));
      if (next_cursor === undefined) break;
      path = `/v1/tools?limit=4&include_disabled=true&cursor=${next_cursor}`;
    }
    assert.equal(new Set(seen).size, 15);
  });

  test('the edge answers each version by its name as the origin does', async () => {
    await same('/v1/tools/acme_tool_03?version=1.0.0', bearer('acme'));
    await same('/v1/tools/acme_tool_03?version=2.0.0-rc.1', bearer('acme'));
    await same('/v1/tools/acme_tool_03', bearer('acme'));
    await same('/v1/tools/same_name?version=unversioned', bearer('acme'));
  });

  test('the edge accepts the key in either header', async () => {
    await same('/v1/tools', { 'x-api-key': world.keys.acme ?? '' });
    await same('/v1/tools', { authorization: `bearer ${world.keys.acme}` });
    await same('/v1/tools', { ...bearer('acme'), 'assay-tenant': 'acme' });
  });

  test('the edge refuses a missing or wrong key and a key without the scope as the API does', async () => {
    await same('/v1/tools', {});
    await same('/v1/tools', { authorization: 'Basic abc' });
    await same('/v1/tools', bearer('noRead'));
    await same('/v1/providers/openai/tools', bearer('noRead'));
    const { acme = '', globex = '' } = world.keys;
    const mixed = acme.replace(idOf(acme), idOf(globex));
    const { api, at } = await both('/v1/tools', { authorization: `Bearer ${mixed}` });
    assert.equal(api.status, 401);
    assert.ok(at.passed, 'a key with a wrong check is left to the origin, which may have fixed it');
  });

  test('the edge forwards every other request unchanged', async () => {
    for (const path of passed) {
      const event = edgeEvent(path, bearer('acme'));
      const before = structuredClone(event.Records[0]?.cf.request);
      const { passed: request } = await callEdge(edge.handler, event);
      assert.deepEqual(request, before, path);
    }
    for (const method of ['POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS'])
      assert.ok((await callEdge(edge.handler, edgeEvent('/v1/tools', bearer('acme'), { method }))).passed, method);
    const odd = edgeEvent('/v1/tools', { ...bearer('acme'), 'x-name': '图像' });
    assert.equal((await callEdge(edge.handler, odd)).passed, odd.Records[0]?.cf.request);
    assert.ok((await callEdge(edge.handler, edgeEvent('/mcp', bearer('acme'), { method: 'POST' }))).passed);
  });

  test('the edge forwards what only the origin can check: the admin key, other tenants, rate limits, no snapshot', async () => {
    const pass = async (headers: Headers, custom?: Headers) =>
      callEdge(edge.handler, edgeEvent('/v1/tools', headers, custom === undefined ? {} : { custom }));

    assert.ok((await pass({ authorization: `Bearer ${ADMIN_KEY}` })).passed);
    assert.ok((await pass({ ...bearer('admin'), 'assay-tenant': 'globex' })).passed);
    assert.ok((await pass({ ...bearer('acme'), 'assay-tenant': 'globex' })).passed);
    assert.ok((await pass(bearer('limited'))).passed);
    assert.ok((await pass(bearer('acme'), {})).passed);
  });
});
