import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { localRuns } from '../../functions/compose/local-runs.ts';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { createTracing } from '../../shared/adapters/otel/tracing.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import type { CallTrace, SpanNode } from '../../shared/execute/read-trace.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import type { Handler } from '../../shared/kernel/ports.ts';
import { tracedTable } from '../../shared/kernel/traced-ports.ts';
import type { LocalRuns } from '../../shared/plan/local-run-deps.ts';
import { memoryLog, testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const table = memoryTable();
const clock = systemClock();
const handlers = {
  builtin: new Map<string, Handler>([
    ['echo', { permission: 'safe', run: async (args) => args }],
    [
      'fail',
      {
        permission: 'safe',
        run: async () => {
          throw new Fault('ToolExecutionError', 'the secret is 42');
        },
      },
    ],
  ]),
  internal: new Map(),
};
const blobs = memoryBlobs();
let runs: LocalRuns | undefined;
const made = await testAssay({
  table: tracedTable(table),
  clock,
  handlers,
  blobs,
  startRuns(context) {
    runs = localRuns(context, blobs);
    return runs;
  },
  tracer: await createTracing({ table, clock, log: memoryLog(), environment: {} }),
});
const server = { ...made, ended: async (run: string) => (await runs?.ended('default', run)) ?? assert.fail('no runs') };
after(() => server.assay.close());
for (const name of ['echo', 'fail', 'other'])
  await server.json(
    'POST',
    '/v1/tools',
    aTool({
      name,
      parameters: { type: 'object' },
      implementation: { type: 'builtin', handler: name === 'other' ? 'echo' : name },
    }),
  );

const invoke = async (name: string, headers: Record<string, string> = {}): Promise<string> => {
  const response = await server.request('POST', `/v1/tools/${name}/invoke`, { arguments: {} }, undefined, headers);
  return ((await response.json()) as { call_id: string }).call_id;
};
const traceOf = async (id: string, key?: string) =>
  server.json<CallTrace>('GET', `/v1/calls/${id}/trace`, undefined, key);
const namesIn = (spans: readonly SpanNode[]): readonly string[] =>
  spans.flatMap(({ name, children }) => [name, ...namesIn(children)]);

describe('traces of calls', () => {
  test('X.26 a trace spans the request, the layers, the handler and the table', async () => {
    const id = await invoke('echo');

    const { status, body } = await traceOf(id);

    assert.equal(status, 200);
    assert.equal(body.kept, true);
    const [request] = body.spans;
    assert.equal(body.spans.length, 1);
    assert.equal(request?.name, 'POST /v1/tools/:name/invoke');
    assert.equal(request?.attributes['http.response.status_code'], 200);
    const call = request?.children.find(({ name }) => name === 'call echo');
    assert.equal(call?.span_id, body.span_id);
    assert.equal(call?.attributes.call_id, id);
    const layers = call?.children.map(({ name }) => name) ?? [];
    for (const name of ['check arguments', 'permission', 'charge', 'cache', 'handler', 'record'])
      assert.ok(layers.includes(name), `${name} in ${layers}`);
    for (const child of call?.children ?? []) {
      assert.ok(child.start_ms >= (call?.start_ms ?? 0));
      assert.ok(child.start_ms + child.duration_ms <= (body.duration_ms ?? 0) + 0.001);
    }
  });

  test('X.26 a call continues the caller’s trace, and its record links to it', async () => {
    const id = await invoke('echo', { traceparent: `00-${TRACE}-${CALLER}-01` });

    const { body } = await traceOf(id);
    const record = await server.json<{ trace_id: string }>('GET', `/v1/executions/${id}`);

    assert.equal(body.trace_id, TRACE);
    assert.equal(record.body.trace_id, TRACE);
    assert.equal(body.spans[0]?.parent_id, CALLER);
  });

  test('a traceparent that is malformed, all zeros or of version ff starts a new trace', async () => {
    for (const traceparent of [
      'nonsense',
      `00-${'0'.repeat(32)}-${CALLER}-01`,
      `00-${TRACE}-${'0'.repeat(16)}-01`,
      `ff-${TRACE}-${CALLER}-01`,
      `00-${TRACE.toUpperCase()}-${CALLER}-01`,
      `00-${TRACE}-${CALLER}-01-more`,
      'x'.repeat(5000),
    ]) {
      const { body } = await traceOf(await invoke('echo', { traceparent }));
      assert.match(body.trace_id ?? '', /^[0-9a-f]{32}$/);
      assert.notEqual(body.trace_id, TRACE, traceparent);
    }
  });

  test('a failed handler’s span has the error code, without its message', async () => {
    const { body } = await traceOf(await invoke('fail'));

    const spans = JSON.stringify(body.spans);
    assert.match(spans, /"name":"handler"[^{]*"error":"ToolExecutionError"/);
    assert.doesNotMatch(spans, /secret is 42/);
  });

  test('a confined key sees only the spans of its own call in a shared trace, and other tenants see none', async () => {
    const shared = { traceparent: `00-${'ab'.repeat(16)}-${CALLER}-01` };
    const echo = await invoke('echo', shared);
    const other = await invoke('other', shared);
    const confined = await server.key({ scopes: ['read'], tools: ['echo'] });
    const foreign = await server.key({ scopes: ['read'], tenant: 'foreign' });

    const { body: all } = await traceOf(echo);
    const { body: own } = await traceOf(echo, confined);

    assert.deepEqual(
      ['call echo', 'call other'].filter((name) => namesIn(all.spans).includes(name)),
      ['call echo', 'call other'],
    );
    assert.equal(namesIn(own.spans)[0], 'call echo');
    assert.ok(!namesIn(own.spans).includes('call other'));
    assert.equal((await traceOf(other, confined)).status, 404);
    assert.equal((await traceOf(echo, foreign)).status, 404);
    assert.equal((await traceOf('01ARZ3NDEKTSV4RRFFQ69G5FAV')).status, 404);
  });
});

describe('a trace across processes and protocols', () => {
  test('X.26 the nodes of a run are in the trace of the request that started it', async () => {
    const { body: plan } = await server.json<{ plan_id: string }>('POST', '/v1/plans', {
      nodes: [
        { id: 'a', tool: 'echo', arguments: {} },
        { id: 'b', tool: 'other', arguments: {}, after: ['a'] },
      ],
    });
    const started = await server.request('POST', `/v1/plans/${plan.plan_id}/runs`, { input: {} }, undefined, {
      traceparent: `00-${'cd'.repeat(16)}-${CALLER}-01`,
    });
    const { run_id: run } = (await started.json()) as { run_id: string };
    const view = await server.ended(run);

    const node = view.nodes[0]?.attempts[0]?.call_id ?? '';
    const { body } = await traceOf(node);

    assert.equal(view.status, 'ok');
    assert.equal(body.trace_id, 'cd'.repeat(16));
    const [request] = body.spans;
    assert.equal(request?.name, 'POST /v1/plans/:id/runs');
    const names = namesIn(body.spans);
    for (const name of ['call run', 'node a', 'call echo', 'node b', 'call other'])
      assert.ok(names.includes(name), name);
    assert.deepEqual((await traceOf(run)).body.spans, body.spans);
  });

  test('X.26 an MCP call is in the trace that its _meta names', async () => {
    const meta = { traceparent: `00-${'ef'.repeat(16)}-${CALLER}-01` };
    const response = await server.request(
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: {}, _meta: meta } },
      undefined,
      { accept: 'application/json, text/event-stream' },
    );
    const id = /"assay\/call_id":"([^"]+)"/.exec(await response.text())?.[1] ?? '';

    const { body } = await traceOf(id);

    assert.equal(body.trace_id, 'ef'.repeat(16));
    assert.equal(body.spans[0]?.name, 'mcp tools/call');
    assert.equal(body.spans[0]?.parent_id, CALLER);
  });
});
