import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../shared/kernel/errors.ts';
import { validatorFor } from '../../shared/kernel/json-schema.ts';
import type { CallContext } from '../../shared/kernel/ports.ts';
import type { SafeFetch } from '../../shared/kernel/safe-fetch.ts';
import { parseDefinition } from '../../shared/registry/parse-definition.ts';
import { openApiUpstream } from '../../shared/sources/openapi/upstream.ts';
import type { UpstreamTool } from '../../shared/sources/upstream.ts';
import { randomOf, sample } from '../providers/support/sample.ts';
import { ADMIN_KEY, testAssay } from '../support/assay.ts';

/** Arguments that fit a tool's schema; undefined when a few hundred tries find none. */
const argumentsOf = ({ parameters }: UpstreamTool): Readonly<Record<string, unknown>> | undefined => {
  const validate = validatorFor(parameters);
  for (let seed = 1; seed < 400; seed += 1) {
    const args = sample(parameters, randomOf(seed)) as Record<string, unknown>;
    if (validate(args).issues.length === 0) return args;
  }
  return undefined;
};

/** What a test cannot invent: a time to come. */
const known: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  putGrantsKeyIdName: { key_id: 'k', name: 'a', expires_at: '2099-01-01T00:00:00Z' },
};

test('every operation of our OpenAPI document is a valid tool, and its calls reach its route', async () => {
  const { app } = await testAssay();
  const asked: { readonly method: string; readonly path: string }[] = [];
  const fetch: SafeFetch = async (url, init) => {
    const { pathname } = new URL(url);
    asked.push({ method: String(init.method ?? 'GET'), path: pathname });
    const response = await app.request(String(url), { ...init, signal: null });
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
    await response.body?.cancel();
    return new Response('a stream', { headers: { 'content-type': 'text/plain' } });
  };
  const upstream = openApiUpstream({
    url: 'http://localhost/openapi.json',
    fetch,
    credentials: async () => ({ headers: { authorization: `Bearer ${ADMIN_KEY}` }, query: {} }),
  });

  const { tools, problems } = await upstream.list(AbortSignal.timeout(10_000));
  assert.deepEqual(problems, []);
  const document = (await (await app.request('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { operationId?: string }>>;
  };
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => ({ path, method: method.toUpperCase(), operationId })),
  );
  assert.equal(tools.length, operations.length);
  assert.ok(tools.length > 50);

  for (const tool of tools) {
    const { name, description, parameters } = tool;
    parseDefinition({
      name,
      description,
      parameters,
      type: 'function',
      handler: name,
      implementation: { type: 'mock', mock_response: null },
    });
    const args = known[name] ?? argumentsOf(tool);
    assert.ok(args, `${name} has arguments`);
    const context = { signal: AbortSignal.timeout(10_000) } as CallContext;
    const failed = await upstream.call(name, args, context).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failed !== undefined) {
      assert.ok(failed instanceof Fault, `${name}: ${failed}`);
      // The route itself refuses what a test invents; what must not be is a request that no route knows or can read.
      assert.ok(![401, 405, 415, 500].includes(Number(failed.details.status)), `${name}: ${failed.message}`);
      assert.doesNotMatch(failed.message, /no route|not a route|is not JSON|is required/i, name);
    }
    const operation = operations.find(({ operationId }) => operationId === name);
    const last = asked.at(-1);
    assert.equal(last?.method, operation?.method, name);
    assert.match(last?.path ?? '', new RegExp(`^${operation?.path.replace(/\{[^}]+\}/g, '[^/]+')}$`), name);
  }
});
