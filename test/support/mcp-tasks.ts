import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { localRuns } from '../../functions/compose/local-runs.ts';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import type { Handler } from '../../shared/kernel/ports.ts';
import type { LocalRuns } from '../../shared/plan/local-run-deps.ts';
import type { Runs } from '../../shared/plan/runs.ts';
import { ADMIN_KEY, type TestAssay, testAssay } from './assay.ts';
import { aTool } from './tools.ts';

export const EXTENSION = 'io.modelcontextprotocol/tasks';
export const PRICE = 7;
/** The most polls, at least 5 ms apart. */
const PATIENCE = 600;

export type Json = Readonly<Record<string, unknown>>;

interface Reply {
  readonly result: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

interface Workshop extends TestAssay {
  /** Lets the tool `hold` finish. */
  release(): void;
}

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const shout: Handler = { permission: 'safe', run: async ({ text: said }) => ({ text: `${String(said)}!` }) };
const fail: Handler = { permission: 'safe', run: async () => Promise.reject(new Error('the kiln is cold')) };

/** Tools, plans made of them, and each plan registered as a tool under its name. */
export const workshop = async (adapt: (runs: LocalRuns) => Runs = (runs) => runs): Promise<Workshop> => {
  const blobs = memoryBlobs();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const hold: Handler = { permission: 'safe', run: (args, context) => held.then(() => shout.run(args, context)) };
  const given = await testAssay({
    blobs,
    prices: { operations: {}, tools: {}, cached_share: 0 },
    handlers: { builtin: new Map(Object.entries({ shout, fail, hold })), internal: new Map() },
    startRuns: (context) => adapt(localRuns(context, blobs)),
  });
  for (const [name, permission] of [
    ['shout', 'safe'],
    ['fail', 'safe'],
    ['hold', 'safe'],
    ['ask', 'confirm'],
  ] as const)
    await given.json('POST', '/v1/tools', {
      ...aTool({ name, permission, parameters: text, output_schema: text }),
      implementation: { type: 'builtin', handler: name === 'ask' ? 'shout' : name },
      price_micros: PRICE,
    });
  for (const tool of ['shout', 'fail', 'hold', 'ask'])
    await planTool(given, `${tool}_plan`, [
      { id: 'a', tool: 'shout', arguments: { text: { $from: '$input.text' } } },
      { id: 'b', tool, arguments: { text: { $from: 'a.text' } } },
    ]);
  return { ...given, release };
};

/** Runs as on state machines: this process is not notified of their end. */
export const elsewhere = (runs: LocalRuns): Runs & Pick<LocalRuns, 'close'> => ({
  start: async (request) => ({ ...(await runs.start(request)), engine: 'STANDARD' }),
  view: (tenant, id) => runs.view(tenant, id),
  confirm: (tenant, id, node, decision) => runs.confirm(tenant, id, node, decision),
  cancel: (tenant, id) => runs.cancel(tenant, id),
  close: () => runs.close(),
});

const planTool = async ({ json }: TestAssay, name: string, nodes: readonly object[]): Promise<void> => {
  const { body: plan } = await json<{ plan_id: string }>('POST', '/v1/plans', { nodes, input_schema: text });
  const { status } = await json('POST', `/v1/plans/${plan.plan_id}/tool`, { name, version: '1.0.0' });
  assert.equal(status, 201);
};

export const withTasks = { extensions: { [EXTENSION]: {} } };
export const withPerson = { ...withTasks, elicitation: { form: {} } };

/** Speaks the wire protocol of 2026-07-28, because the official client does not support tasks. */
export const speaker =
  ({ request }: TestAssay, key = ADMIN_KEY, capabilities: object = withTasks, nameOf = usualName) =>
  async (method: string, params: Json): Promise<Reply> => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    };
    const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
    const name = nameOf(params);
    const response = await request('POST', '/mcp', message, key, {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': name }),
    });
    return JSON.parse(await response.text());
  };

const usualName = ({ name, taskId }: Json): string | undefined => String(name ?? taskId ?? '');

type Speak = ReturnType<typeof speaker>;

export const call = async (speak: Speak, name: string, more: Json = {}): Promise<Json> =>
  (await speak('tools/call', { name, arguments: { text: 'hi' }, ...more })).result;

/** Calls a plan that needs consent and consents at once, as the protocol asks for it before there is a task. */
export const callWithConsent = async (speak: Speak, name: string): Promise<Json> => {
  const { requestState, inputRequests } = await call(speak, name);
  const [question = ''] = Object.keys(inputRequests as object);
  return call(speak, name, { requestState, inputResponses: { [question]: { action: 'accept', content: {} } } });
};

/** Polls as a client would, until the task has left the states given. */
export const poll = async (speak: Speak, taskId: unknown, ...states: readonly string[]): Promise<Json> => {
  for (let turn = 0; turn < PATIENCE; turn++) {
    const { result } = await speak('tasks/get', { taskId });
    if (!states.includes(String(result.status))) return result;
    await wait(5);
  }
  return assert.fail(`the task ${taskId} stays ${states.join(' or ')}`);
};

export const executionsOf = async ({ assay, json }: TestAssay, tool: string): Promise<readonly Json[]> => {
  await assay.recorder.flush();
  const { body } = await json<{ executions: readonly Json[] }>('GET', `/v1/executions?tool=${tool}`);
  return body.executions;
};

/** The ledger's record of a call to the tool, once there is one. */
export const recorded = async (given: TestAssay, tool: string): Promise<Json> => {
  for (let turn = 0; turn < PATIENCE; turn++) {
    const [found] = await executionsOf(given, tool);
    if (found) return found;
    await wait(5);
  }
  return assert.fail(`no call of ${tool} is recorded`);
};
