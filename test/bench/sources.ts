import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
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
import { alternate, median, printRows, timeOf } from './support/measure.ts';

/** The cost of sources: importing many tools, and a call through one against the direct call; all, or only `--only`. */
export const bench = async (args: readonly string[]): Promise<void> => {
  const data = await mkdtemp(join(tmpdir(), 'assay-bench-'));
  const upstreams = [await startUpstream(100), await startUpstream(2000), await startUpstream(9900)] as const;
  const [few, many, most] = upstreams;
  const environment = readEnvironment({ ASSAY_EGRESS: upstreams.map(({ url }) => new URL(url).host).join(',') });
  const assay = await localAssay({ environment, data, log: jsonLog(() => {}) });
  try {
    const only = args[0] === '--only' ? args[1] : undefined;
    const isAsked = (part: string): boolean => only === undefined || only === part;
    await add(assay, 'few', few.url);
    if (isAsked('calls')) await calls(assay, few);
    if (isAsked('imports')) await imports(assay, many.url);
    if (isAsked('growth')) await growth(assay, most.url);
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

const calls = async (assay: Assay, { url, cpu: upstreamCpu }: Upstream): Promise<void> => {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const measured = {
    direct: () => timeOf(() => client.callTool({ name: 'tool_7', arguments: args }), { batches: 5, calls: 100 }),
    through: () => timeOf(() => call(assay), { batches: 5, calls: 100 }),
  };
  await alternate(2, measured);
  const times = await alternate(9, measured);
  // CPU time of both processes, because on a busy machine the wall time of a call is mostly waiting.
  const cpuOf = async (work: () => Promise<number>): Promise<number> => {
    const before = cpuNow() + upstreamCpu();
    await work();
    return (cpuNow() + upstreamCpu() - before) / 500;
  };
  const cpu = await alternate(9, { direct: () => cpuOf(measured.direct), through: () => cpuOf(measured.through) });
  await client.close();
  printRows('a call over HTTP to a server that echoes, with permission, record and statistics on SQLite', [
    ['directly, by the official client', milliseconds(times.direct)],
    ['through the source', milliseconds(times.through)],
    ['  ratio', (times.through / times.direct).toFixed(2), 'at most 1.25'],
    ['CPU of both processes, directly', milliseconds(cpu.direct)],
    ['CPU of both processes, through the source', milliseconds(cpu.through)],
    ['  ratio', (cpu.through / cpu.direct).toFixed(2), 'at most 1.25'],
  ]);
};

const cpuNow = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const ROUNDS = 5;

/** The first hundreds of calls are not measured, because they include collecting the garbage of the import. */
const growth = async (assay: Assay, url: string): Promise<void> => {
  const time = () => timeOf(() => call(assay), { batches: 5, calls: 100 });
  const settled = async (): Promise<{ wall: number; cpu: number }> => {
    for (let round = 0; round < 3; round++) await time();
    const before = process.cpuUsage();
    const walls = [await time(), await time(), await time()];
    const { user, system } = process.cpuUsage(before);
    return { wall: median(walls), cpu: (user + system) / 1000 / 1500 };
  };
  const rounds: { few: { wall: number; cpu: number }; most: { wall: number; cpu: number } }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const few = await settled();
    await add(assay, 'most', url);
    rounds.push({ few, most: await settled() });
    await removeSource(assay, actor, 'most');
  }
  const of = (kind: 'wall' | 'cpu', size: 'few' | 'most') => median(rounds.map((round) => round[size][kind]));
  const ratio = (kind: 'wall' | 'cpu') => median(rounds.map(({ few, most }) => most[kind] / few[kind])).toFixed(2);
  printRows('the same call as the catalogue grows from 100 to 10,000 imported tools', [
    ['with 100', milliseconds(of('wall', 'few')), `${milliseconds(of('cpu', 'few'))} of CPU`],
    ['with 10,000', milliseconds(of('wall', 'most')), `${milliseconds(of('cpu', 'most'))} of CPU`],
    [`  ratio, median of ${ROUNDS}`, ratio('wall'), `at most 1.10; of CPU ${ratio('cpu')}`],
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

interface Upstream {
  readonly url: string;
  /** The CPU time used so far, in milliseconds. */
  cpu(): number;
  stop(): void;
}

/** Starts an upstream in a separate process. */
const startUpstream = async (tools: number): Promise<Upstream> => {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'upstream', String(tools)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [text] = (await Array.fromAsync(firstOf(child.stdout))) as [Buffer];
  return { url: String(text).trim(), cpu: () => cpuOfProcess(child.pid), stop: () => void child.kill() };
};

/** CPU time from /proc: in hundredths of a second, in the twelfth and thirteenth field after the name. */
const cpuOfProcess = (pid: number | undefined): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

async function* firstOf(stream: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const part of stream) {
    yield part;
    return;
  }
}

/** Tools with realistic schemas, each different. */
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
