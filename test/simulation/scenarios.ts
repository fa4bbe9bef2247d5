import assert from 'node:assert/strict';
import { sha256 } from '../../shared/kernel/canonical-json.ts';
import { imageBlobKey } from '../../shared/kernel/item-keys.ts';
import type { CallRecord } from '../../shared/model/call-record.ts';
import type { RunView } from '../../shared/model/run.ts';
import { callDeferred, findPlanId } from '../../shared/plan/call-deferred.ts';
import { ADMIN_KEY } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';
import { KEPT_TOOLS, type Prepared, type Process, UPSTREAM_TOOLS } from './process.ts';

/** Somebody who sends requests to one process, and what it was told. */
export interface Client extends Prepared {
  readonly process: Process;
  /** What tells the requests of one client from those of another. */
  readonly name: string;
  /** What was answered, and so must stay. */
  readonly acknowledged: string[];
}

/** What is known when all is over. */
export interface Facts {
  readonly clients: readonly Client[];
  /** A process that came later and has recovered what others left. */
  readonly later: Process;
  readonly executions: readonly CallRecord[];
  readonly effects: number;
  /** How many clients did the operation, each of them once however often it sent it. */
  readonly operations: number;
  /** The runs that were stored. */
  readonly runs: ReadonlySet<string>;
}

export interface Scenario {
  readonly run: (client: Client) => Promise<void>;
  /** Whether a client that got no answer sends the same again, to another process. */
  readonly isRepeated?: boolean;
  readonly check: (facts: Facts) => void | Promise<void>;
}

const picture = (name: string): Uint8Array => new TextEncoder().encode(`a picture of ${name}`);
const once = ({ name }: Client) => ({ 'idempotency-key': `once-${name}` });

const send = async (
  { process, payer, acknowledged }: Client,
  method: string,
  path: string,
  body?: unknown,
  { key = payer, headers = {} }: { readonly key?: string; readonly headers?: Record<string, string> } = {},
) => {
  const response = await process.request(method, path, body, key, headers);
  const text = await response.text();
  const isOk = response.status < 300;
  if (isOk) acknowledged.push(`${method} ${path}`);
  return { isOk, status: response.status, body: text === '' ? undefined : JSON.parse(text) };
};
const asAdmin = { key: ADMIN_KEY };

const invoke = (tool: string, isOnce: boolean) => async (client: Client) => {
  const headers = isOnce ? once(client) : {};
  await send(client, 'POST', `/v1/tools/${tool}/invoke`, { arguments: { city: 'Ulm' } }, { headers });
};

const startRun = async (client: Client, plan: string, headers = {}): Promise<string | undefined> => {
  const { isOk, body } = await send(client, 'POST', `/v1/plans/${plan}/runs`, { input: {} }, { headers });
  return isOk ? body.run_id : undefined;
};

/** Says yes to every question of a run until it has ended. */
export const consent = async (process: Process, run: string): Promise<void> => {
  for (let looks = 0; looks < 500; looks++) {
    const view = await process.runs.view('default', run);
    if (view?.status !== 'running') {
      await process.runs.ended('default', run);
      return;
    }
    const waiting = view.nodes.find(({ status }) => status === 'waiting_approval');
    if (waiting)
      await process.runs.confirm('default', run, waiting.id, { approve: true, approver: 'admin' }).catch(() => {});
    await process.wait(looks < 50 ? 5 : 1000);
    // What was left in the middle is free again after a lease's term.
    if (looks % 20 === 19) await process.runs.resume();
  }
  throw new Error(`the run ${run} neither ends nor asks: ${JSON.stringify(await process.runs.view('default', run))}`);
};

const upload = async (client: Client, key: string): Promise<void> => {
  await client.process.uploads.store(imageBlobKey('default', key), picture(client.name));
  client.acknowledged.push(`upload ${key}`);
  await client.process.uploads.idle();
};

const charged = ({ executions }: Facts, tool: string): number =>
  executions.filter((row) => row.tool === tool && row.status === 'ok').length;

const acknowledged = ({ clients }: Facts, text: string): readonly string[] =>
  clients.flatMap((client) => client.acknowledged.filter((line) => line.includes(text)));

const uploadsAreScored = async (facts: Facts): Promise<void> => {
  const keys = new Set(acknowledged(facts, 'upload ').map((line) => line.slice('upload '.length)));
  for (const key of keys) {
    const { body } = await facts.later.json<{ status: string }>('GET', `/v1/images/${key}/scores`);
    assert.equal(body.status, 'scored', `${key}: ${JSON.stringify(body)}`);
  }
  const paid = charged(facts, 'score');
  assert.ok(paid >= keys.size && paid <= facts.operations, `${paid} scores were charged, of ${keys.size} uploads`);
};

const runsArePaid = async (facts: Facts, runs: number, nodes = 2): Promise<void> => {
  const { later, executions } = facts;
  const fees = executions.filter(({ tool, status }) => tool === 'run' && status === 'ok');
  assert.equal(fees.length, runs, 'each run has its fee, once');
  for (const { call_id } of fees) {
    const { body: view } = await later.json<RunView>('GET', `/v1/runs/${call_id}`);
    assert.equal(view.status, 'ok', JSON.stringify(view.error));
  }
  assert.equal(charged(facts, 'priced'), nodes * runs, 'each node is charged once');
};

/** What each operation does, and what must be true after it whatever happened. */
export const scenarios = {
  register: {
    run: async (client) => {
      await send(client, 'POST', '/v1/tools', aTool({ name: `new_${client.name}` }), asAdmin);
    },
    check: async ({ clients, later }) => {
      for (const { name } of clients.filter((client) => client.acknowledged.length > 0))
        assert.equal((await later.json('GET', `/v1/tools/new_${name}`)).status, 200, 'what was registered is there');
    },
  },
  invoke: {
    run: invoke('priced', false),
    check: (facts) => {
      const paid = charged(facts, 'priced');
      assert.ok(paid >= acknowledged(facts, 'priced').length && paid <= facts.operations, `${paid} were charged`);
    },
  },
  'invoke once': {
    run: invoke('priced', true),
    isRepeated: true,
    check: (facts) => assert.equal(charged(facts, 'priced'), facts.operations, 'charged once, however often sent'),
  },
  'effect once': {
    run: invoke('effect', true),
    isRepeated: true,
    check: (facts) => {
      assert.ok(facts.effects <= facts.operations, `an effect was repeated: ${facts.effects}`);
      assert.ok(charged(facts, 'effect') <= facts.effects, 'charged without effect');
    },
  },
  fail: {
    run: invoke('broken', false),
    check: (facts) => assert.equal(charged(facts, 'broken'), 0, 'a failure was charged'),
  },
  score: {
    run: async (client) => {
      const base64 = Buffer.from(picture(client.name)).toString('base64');
      await send(client, 'POST', '/v1/score', { image: { base64 }, tools: ['entropy'] }, { headers: once(client) });
    },
    isRepeated: true,
    check: (facts) => assert.equal(charged(facts, 'score'), facts.operations, 'charged once, however often sent'),
  },
  upload: {
    run: async (client) => {
      const wish = { content_type: 'image/png', size: picture(client.name).length, tools: ['entropy'] };
      const { isOk, body } = await send(client, 'POST', '/v1/uploads', wish);
      if (isOk) await upload(client, body.key);
    },
    check: uploadsAreScored,
  },
  inbox: {
    // After a restart what has no scores yet is put into the store again.
    run: (client) => upload(client, `inbox-${sha256(picture(client.name)).slice(0, 12)}.png`),
    isRepeated: true,
    check: uploadsAreScored,
  },
  plan: {
    run: async (client) => {
      const run = await startRun(client, client.plans.plan, once(client));
      if (run) await client.process.runs.ended('default', run);
    },
    isRepeated: true,
    check: (facts) => runsArePaid(facts, facts.operations),
  },
  'plan unrepeated': {
    run: async (client) => {
      const run = await startRun(client, client.plans.plan);
      if (run) await client.process.runs.ended('default', run);
    },
    check: (facts) => runsArePaid(facts, facts.runs.size),
  },
  'plan with consent': {
    run: async (client) => {
      const run = await startRun(client, client.plans.asking, once(client));
      if (run) await consent(client.process, run);
    },
    isRepeated: true,
    check: (facts) => {
      assert.equal(charged(facts, 'run'), facts.operations, 'each run has its fee, once');
      assert.ok(facts.effects <= facts.operations, `an effect was repeated: ${facts.effects}`);
      assert.ok(charged(facts, 'asking') <= facts.effects, 'charged without effect');
    },
  },
  'plan as a tool': {
    run: invoke('planned', true),
    isRepeated: true,
    check: (facts) => assert.equal(charged(facts, 'planned'), facts.operations, 'charged once, however often sent'),
  },
  'plan handed over': {
    run: async ({ process: { assay, runs }, payer }) => {
      const actor = await assay.authenticate(payer);
      const entry = (await assay.catalogs.of('default')).catalog.get('planned');
      const planId = entry && findPlanId(entry.record);
      if (!entry || planId === undefined || !assay.runs) throw new Error('there is no plan');
      const asked = { tool: entry.record, planId, arguments: {} };
      const handed = await callDeferred(assay, assay.runs, actor, asked, new AbortController().signal, {});
      if ('run' in handed) await runs.ended('default', handed.run.run_id);
    },
    check: (facts) => {
      // One that slept past its deadline is cancelled, and not charged.
      const calls = facts.executions.filter(({ tool }) => tool === 'planned');
      const runs = calls.filter(({ call_id, status }) => status === 'ok' || facts.runs.has(call_id));
      assert.equal(runs.length, facts.runs.size, 'each run has its call, once');
    },
  },
  revoke: {
    run: async (client) => {
      const made = await send(client, 'POST', '/v1/keys', { name: client.name, scopes: ['read'] }, asAdmin);
      if (!made.isOk) return;
      const { isOk } = await send(client, 'DELETE', `/v1/keys/${made.body.id}`, undefined, asAdmin);
      if (isOk) client.acknowledged.push(`revoked ${made.body.key}`);
    },
    check: async (facts) => {
      for (const line of acknowledged(facts, 'revoked ')) {
        const { status } = await facts.later.json('GET', '/v1/tools', undefined, line.slice('revoked '.length));
        assert.equal(status, 401, 'a revoked key works');
      }
    },
  },
  import: {
    run: async (client) => {
      const { isOk: isImported } = await send(client, 'POST', '/v1/snapshot', client.snapshot, asAdmin);
      if (isImported) client.acknowledged.push('imported');
    },
    isRepeated: true,
    check: async (facts) => {
      assert.ok(acknowledged(facts, 'imported').length > 0, 'the snapshot was never imported');
      for (const name of [...KEPT_TOOLS, 'priced'])
        assert.equal((await facts.later.json('GET', `/v1/tools/${name}`)).status, 200, `${name} is there`);
    },
  },
  'source refresh': {
    run: async (client) => {
      const { isOk } = await send(client, 'POST', '/v1/sources/outside/refresh', undefined, asAdmin);
      if (isOk) client.acknowledged.push('refreshed');
    },
    isRepeated: true,
    check: async (facts) => {
      assert.ok(acknowledged(facts, 'refreshed').length > 0, 'the source is stuck');
      const { catalog } = await facts.later.assay.catalogs.of('default');
      const own = [...catalog.own.values()].filter(({ source }) => source?.name === 'outside');
      assert.equal(own.length, UPSTREAM_TOOLS.length);
    },
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;
export const scenarioNames = Object.keys(scenarios) as readonly ScenarioName[];
