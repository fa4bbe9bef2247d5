import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Served, serveAssay } from '../support/process.ts';
import { aTool } from '../support/tools.ts';

export const ADMIN = 'a-fixed-admin-key-1';
/** How much faster the server's clock runs: a lease of 90 s ends within five. */
const SPEED = 18;
/** How long a lease of 90 s lasts in real time. */
export const LEASE_MS = 90_000 / SPEED;

/** Servers on one data directory that are killed repeatedly, and what their clients were answered. */
export interface World {
  readonly servers: Served[];
  /** True after the last kill. */
  isCalm: boolean;
  /** True when clients must start nothing new. */
  isOver: boolean;
  /** The number of answered requests. */
  answers: number;
  readonly payer: string;
  readonly planId: string;
  readonly inbox: string;
  /** The file to which the tool with an effect appends a line. */
  readonly effects: string;
  readonly tools: string[];
  readonly calls: string[];
  readonly failures: string[];
  readonly keys: Map<string, string>;
  readonly effectKeys: string[];
  readonly runs: string[];
  readonly uploads: string[];
  readonly dropped: string[];
  /** Idempotency keys that were never answered, with the last response. */
  readonly stuck: string[];
  start(): Promise<Served>;
  /** The months that the server's clock has passed through. */
  months(): readonly string[];
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server says
  readonly body: any;
}

/** Sends a request to any of the servers. */
export const send = async (
  { servers }: Pick<World, 'servers'>,
  method: string,
  path: string,
  body?: unknown,
  key = ADMIN,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> => {
  const address = servers[Math.floor(Math.random() * servers.length)]?.address ?? '';
  const response = await fetch(address + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text || '{}') };
};

/** A non-idempotent tool, which must not run again for an interrupted call, and one that fails. */
const plugin = (file: string): string => `
import { appendFileSync } from 'node:fs';
const about = {
  description: 'Notes a city', permission: 'safe', price_micros: 5,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const note = ({ city }) => { appendFileSync(${JSON.stringify(file)}, city + '\\n'); return { city }; };
const fail = () => { throw new Error('broken'); };
export const tools = [
  { definition: { ...about, name: 'noting' }, execute: note },
  { definition: { ...about, name: 'broken' }, execute: fail },
];
`;

export const prepareWorld = async (cwd: string, count = 1): Promise<World> => {
  const since = Date.now();
  const effects = join(cwd, 'effects.txt');
  await writeFile(effects, '');
  await mkdir(join(cwd, 'plugins'));
  await writeFile(join(cwd, 'plugins', 'noting.mjs'), plugin(effects));
  const env = {
    ASSAY_ADMIN_KEY: ADMIN,
    ASSAY_PLUGINS_DIR: join(cwd, 'plugins'),
    NODE_OPTIONS: `--import=${new URL('../support/fast-clock.ts', import.meta.url).href}`,
    FAST_SINCE: `${since}`,
    FAST_SPEED: `${SPEED}`,
  };
  const start = () => serveAssay({ cwd, env });
  const served = await start();
  const servers = [served];
  const post = async (path: string, content: unknown) => {
    const { status, body } = await send({ servers }, 'POST', path, content);
    if (status >= 300) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return body;
  };
  for (const name of ['priced', 'priced_once', 'in_plan']) await post('/v1/tools', aTool({ name, price_micros: 5 }));
  const key = await post('/v1/keys', { scopes: ['read', 'invoke'], quota: { calls: 1_000_000 } });
  const plan = await post('/v1/plans', { nodes: [{ id: 'n', tool: 'in_plan', arguments: { city: 'Ulm' } }] });
  const inbox = join(/^ +data +(.*) \(put/m.exec(served.greeting)?.[1] ?? '', 'inbox');
  while (servers.length < count) servers.push(await start());
  return {
    servers,
    isCalm: false,
    isOver: false,
    answers: 0,
    payer: key.key,
    planId: plan.plan_id,
    inbox: resolve(cwd, inbox),
    effects,
    tools: [],
    calls: [],
    failures: [],
    keys: new Map(),
    effectKeys: [],
    runs: [],
    uploads: [],
    dropped: [],
    stuck: [],
    start,
    months: () => {
      const until = since + (Date.now() - since) * SPEED;
      return [...new Set([since, until].map((at) => new Date(at).toISOString().slice(0, 7)))];
    },
  };
};
