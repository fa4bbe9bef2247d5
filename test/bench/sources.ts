import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { localAssay } from '../../functions/compose/local-assay.ts';
import { readEnvironment } from '../../functions/compose/local-environment.ts';
import { adminActor } from '../../shared/access/scopes.ts';
import { jsonLog } from '../../shared/adapters/files/json-log.ts';
import type { Assay } from '../../shared/assay.ts';
import { executeTool } from '../../shared/execute/execute.ts';
import { addSource, refreshNow, removeSource } from '../../shared/sources/manage.ts';
import { type FakeTool, fakeUpstream } from '../support/mcp-upstream.ts';
import { alternate, printRows, timeOf } from './support/measure.ts';

/** What sources cost: importing many tools, and a call through one beside the direct call. */
export const bench = async (): Promise<void> => {
  const data = await mkdtemp(join(tmpdir(), 'assay-bench-'));
  const upstreams = [await startUpstream(100), await startUpstream(2000), await startUpstream(9900)] as const;
  const [few, many, most] = upstreams;
  const environment = readEnvironment({ ASSAY_EGRESS: upstreams.map(({ url }) => new URL(url).host).join(',') });
  const assay = await localAssay({ environment, data, log: jsonLog(() => {}) });
  try {
    await calls(assay, few.url);
    await imports(assay, many.url);
    await growth(assay, most.url);
  } finally {
    await assay.close();
    for (const { stop } of upstreams) stop();
    await rm(data, { recursive: true });
  }
};

const actor = adminActor();

const imports = async (assay: Assay, url: string): Promise<void> => {
  const importing = await seconds(() => add(assay, 'many', url));
  const refreshing = await seconds(() => refreshNow(assay, actor, 'many'));
  const removing = await seconds(() => removeSource(assay, actor, 'many'));
  printRows('2,000 tools in pages of 100, on SQLite', [
    ['import', `${importing.toFixed(2)} s`, 'under 3 s'],
    ['refresh without a change', `${refreshing.toFixed(2)} s`],
    ['remove', `${removing.toFixed(2)} s`],
  ]);
};

const calls = async (assay: Assay, url: string): Promise<void> => {
  await add(assay, 'few', url);
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const measured = {
    direct: () => timeOf(() => client.callTool({ name: 'tool_7', arguments: args }), { batches: 5, calls: 100 }),
    through: () => timeOf(() => call(assay), { batches: 5, calls: 100 }),
  };
  await alternate(2, measured);
  const times = await alternate(9, measured);
  await client.close();
  printRows('a call over HTTP to a server that echoes, with permission, record and statistics on SQLite', [
    ['directly, by the official client', milliseconds(times.direct)],
    ['through the source', milliseconds(times.through)],
    ['  ratio', (times.through / times.direct).toFixed(2), 'at most 1.25'],
  ]);
};

const growth = async (assay: Assay, url: string): Promise<void> => {
  const time = () => timeOf(() => call(assay), { batches: 5, calls: 100 });
  const rounds: { few: number; most: number }[] = [];
  for (let round = 0; round < 3; round++) {
    await time();
    const few = await time();
    await add(assay, 'most', url);
    await time();
    rounds.push({ few, most: await time() });
    await removeSource(assay, actor, 'most');
  }
  const ratios = rounds.map(({ few, most }) => most / few).sort((a, b) => a - b);
  printRows('the same call as the catalogue grows from 100 to 10,000 imported tools', [
    ['with 100', milliseconds(rounds[1]?.few ?? 0)],
    ['with 10,000', milliseconds(rounds[1]?.most ?? 0)],
    ['  ratio, median of three', (ratios[1] ?? 0).toFixed(2), 'at most 1.10'],
  ]);
};

const args = { text: 'hello' };
const call = async (assay: Assay): Promise<void> => {
  const { status, error } = await executeTool(assay, actor, { name: 'few_tool_7', arguments: args });
  if (status !== 'ok') throw new Error(error?.message);
};

const add = async (assay: Assay, name: string, url: string): Promise<void> => {
  const { status, error } = await addSource(assay, actor, { name, kind: 'mcp', url, permission: 'safe' });
  if (status !== 'ok') throw new Error(error);
};

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
};

const milliseconds = (time: number): string => `${time.toFixed(3)} ms`;

/** Starts an upstream as a process of its own. */
const startUpstream = async (tools: number): Promise<{ url: string; stop(): void }> => {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'upstream', String(tools)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [text] = (await Array.fromAsync(firstOf(child.stdout))) as [Buffer];
  return { url: String(text).trim(), stop: () => void child.kill() };
};

async function* firstOf(stream: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const part of stream) {
    yield part;
    return;
  }
}

/** Tools with schemas as real ones have them, each another. */
const toolOf = (at: number): FakeTool => ({
  name: `tool_${at}`,
  description: `Tool ${at}: takes a text, a number of items and where to look, and says what it found there.`,
  inputSchema: {
    type: 'object',
    properties: {
      text: { type: 'string', description: `What tool ${at} looks for`, maxLength: 1000 + at },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
      where: { type: 'array', items: { type: 'string', enum: ['title', 'body', `field_${at}`] } },
      options: { type: 'object', properties: { exact: { type: 'boolean' }, language: { type: 'string' } } },
    },
    required: ['text'],
    additionalProperties: false,
  },
});

if (process.argv[2] === 'upstream' && process.argv[1] === fileURLToPath(import.meta.url)) {
  const tools = Array.from({ length: Number(process.argv[3]) }, (_, at) => toolOf(at));
  const upstream = await fakeUpstream({ after: () => {} }, tools);
  upstream.pageSize = 100;
  console.log(upstream.url);
}
