import assert from 'node:assert/strict';
import { monotonicFactory } from 'ulid';
import { type LocalUploads, localUploads } from '../../functions/cli/local-uploads.ts';
import { localRuns } from '../../functions/compose/local-runs.ts';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { blobModelFiles } from '../../shared/adapters/onnx/model-files.ts';
import { createQuotaHolding, type QuotaHolding } from '../../shared/execute/billing/quota-holders.ts';
import type { IqaEngine } from '../../shared/iqa/engine.ts';
import { composeIqa } from '../../shared/iqa/iqa.ts';
import { lazily } from '../../shared/kernel/lazily.ts';
import { pause } from '../../shared/kernel/pause.ts';
import type { Handler } from '../../shared/kernel/ports.ts';
import type { LocalRuns } from '../../shared/plan/local-run-deps.ts';
import type { SourcePorts } from '../../shared/sources/context.ts';
import { memoryLog, type TestAssay, testAssay } from '../support/assay.ts';
import { shippedCatalogue } from '../support/iqa.ts';
import { aTool } from '../support/tools.ts';
import type { Store } from './stores.ts';
import type { Awake, Timeline } from './timeline.ts';

/** A process of the product on a store that others share: its own memory and its own clock. */
export interface Process extends TestAssay {
  readonly runs: LocalRuns;
  readonly uploads: LocalUploads;
  readonly quotas: QuotaHolding;
  /** Waits, as a client of it does. */
  wait(milliseconds: number): Promise<void>;
}

/** What all processes of a simulation share: time, chance, and what the outside has seen of them. */
export interface World {
  readonly timeline: Timeline;
  readonly random: () => number;
  /** How often the tool with an effect ran. */
  readonly effects: { count: number };
}

export const PRICE = 7;
export const prices = { operations: { run: 3 }, tools: {}, cached_share: 0.1 };
/** What the source lists. */
export const UPSTREAM_TOOLS = ['one', 'two', 'three'] as const;

/** Removed again, and in the snapshot. */
export const KEPT_TOOLS = ['kept_one', 'kept_two'] as const;

export const startProcess = async (store: Store & Partial<Awake>, world: World, skewMs = 0): Promise<Process> => {
  const { timeline, random, effects } = world;
  const { table, blobs, isAwake = () => true } = store;
  const ids = monotonicFactory(random);
  const now = (): number => timeline.now() + skewMs;
  const timers = timeline.timersOf({ isAwake });
  const clock = { now, newId: () => ids(now()) };
  const effect: Handler = { permission: 'safe', run: async () => ++effects.count };
  const broken: Handler = { permission: 'safe', run: () => Promise.reject(new Error('broken')) };
  const iqa = composeIqa({ catalogue: catalogue(), engine: plainEngine, modelFiles, table, blobs, clock, log });
  const made: LocalRuns[] = [];
  const chance = (bytes: number) => Uint8Array.from({ length: bytes }, () => random() * 256);
  const quotas = createQuotaHolding({ table, clock, timers, log, random: chance });
  const given = await testAssay({
    table,
    blobs,
    iqa,
    prices,
    clock,
    sources,
    timers,
    // The processor's time is no part of a simulation: it would draw another order each time.
    turns: { enter: () => undefined, own: () => Promise.resolve() },
    recording: { delayMs: 0 },
    signPut: async (path) => ({ url: path, headers: {}, expires_at: new Date(now()).toISOString() }),
    random: chance,
    quotaHolding: quotas,
    handlers: { builtin: new Map(Object.entries({ broken })), internal: new Map([['effect', effect]]) },
    startRuns: (assay) => {
      const runs = localRuns(assay, blobs);
      made.push(runs);
      return runs;
    },
  });
  const [runs] = made;
  assert.ok(runs);
  return {
    ...given,
    runs,
    uploads: localUploads(given.assay, '/nonexistent'),
    quotas,
    wait: (milliseconds) => pause(timers, milliseconds),
  };
};

const log = memoryLog();
const modelFiles = blobModelFiles(memoryBlobs(), '/nonexistent');

const catalogue = lazily(shippedCatalogue);

/** Says the same of every picture, at once. */
const plainEngine: IqaEngine = {
  reserve: async () => () => {},
  decode: async (_, name = 'a picture') => ({
    name,
    format: 'png',
    pixels: { width: 64, height: 64, data: new Uint8Array() },
    notes: [],
  }),
  release: () => {},
  score: async () => 4,
  map: () => Promise.reject(new Error('no maps')),
  encode: () => Promise.reject(new Error('no pictures')),
  inspect: () => Promise.reject(new Error('no models')),
  versions: () => ({}),
  close: async () => {},
};

const sources: SourcePorts = {
  allowed: 'tenants',
  open: () => ({
    list: async () => ({
      tools: UPSTREAM_TOOLS.map((name) => ({ name, description: `does ${name}`, parameters: { type: 'object' } })),
      problems: [],
    }),
    call: async () => ({}),
  }),
};

/** Registers what the scenarios use; answers a key with a quota and the plans. */
export const prepare = async ({ json, key }: Process) => {
  const post = async <T>(path: string, body: unknown): Promise<T> => {
    const { status, body: answer } = await json<T>('POST', path, body);
    assert.ok(status < 300, `${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const effect = { price_micros: PRICE, implementation: { type: 'internal', handler: 'effect' } };
  await post('/v1/tools', aTool({ name: 'priced', price_micros: PRICE }));
  await post('/v1/tools', aTool({ name: 'effect', ...effect }));
  await post('/v1/tools', aTool({ name: 'asking', permission: 'confirm', ...effect }));
  await post(
    '/v1/tools',
    aTool({ name: 'broken', price_micros: PRICE, implementation: { type: 'builtin', handler: 'broken' } }),
  );
  const first = { id: 'a', tool: 'priced', arguments: { city: 'Ulm' } };
  const second = { id: 'b', tool: 'priced', arguments: { city: 'Bern' }, after: ['a'] };
  const consented = { id: 'b', tool: 'asking', arguments: { city: 'Bern' }, after: ['a'] };
  const { plan_id: plan } = await post<{ plan_id: string }>('/v1/plans', { nodes: [first, second] });
  const { plan_id: asking } = await post<{ plan_id: string }>('/v1/plans', { nodes: [first, consented] });
  await post(`/v1/plans/${plan}/tool`, { name: 'planned' });
  await post('/v1/sources', { name: 'outside', kind: 'mcp', url: 'https://tools.example/mcp' });
  for (const name of KEPT_TOOLS) await post('/v1/tools', aTool({ name }));
  const { body: snapshot } = await json<object>('GET', '/v1/snapshot');
  for (const name of KEPT_TOOLS) await json('DELETE', `/v1/tools/${name}`);
  const payer = await key({ scopes: ['read', 'invoke', 'approve'], quota: { calls: 100, micros: 100_000 } });
  return { payer, plans: { plan, asking }, snapshot };
};

export type Prepared = Awaited<ReturnType<typeof prepare>>;
