import { bundleClone } from '../../infra/build/bundle-command.ts';
import { judge, printTable, summary } from './report.ts';
import { politely } from './support/polite.ts';
import { type Answered, readAnswer, watchServer } from './support/watched-server.ts';

const WINDOWS = 12;
const MOST_GROWTH_MB = 50;
const MOST_GROWTH = 0.5;
/** Between two calls of a client: the load is to last, not to be high. */
const PAUSE_MS = 25;
const MCP_VERSION = '2026-07-28';

/**
 * A mixed load on a real server: `npm run bench -- soak --minutes 60`. Prints memory and p99 of each twelfth of the time
 * and their slopes through the second half; in the first one caches fill.
 */
export async function bench(args: readonly string[]): Promise<void> {
  const minutes = Number(args[args.indexOf('--minutes') + 1] ?? 60) || 60;
  // As it is installed: from the sources a process takes half as much memory again.
  await bundleClone();
  const server = await watchServer();
  const rows: Window[] = [];
  try {
    const polite = await server.key('polite', ['read', 'invoke']);
    const other = await server.key('other', ['read', 'invoke', 'write']);
    const load = { isOver: false, calls: 0 };
    const told = new Map<string, number>();
    const mixed = keepBusy(async (turn) => {
      const [kind, { status }] = await mixedCall(server, other, turn).catch(() => ['lost', { status: 0 }] as const);
      load.calls++;
      told.set(`${kind} ${status}`, (told.get(`${kind} ${status}`) ?? 0) + 1);
    }, load);
    for (let window = 1; window <= WINDOWS; window++) {
      const times = await politely(server.address, polite, PAUSE_MS);
      const [cpuBefore, mixedBefore] = [await server.cpu(), load.calls];
      await new Promise((resolve) => setTimeout(resolve, (minutes * 60_000) / WINDOWS));
      const waited = await times();
      const calls = waited.length + load.calls - mixedBefore;
      const cpu = ((await server.cpu()) - cpuBefore) / calls;
      const unit = summary((await server.same()).slice(-Math.max(10, (minutes * 60) / WINDOWS))).p50;
      rows.push({
        minute: Number(((minutes * window) / WINDOWS).toFixed(1)),
        calls,
        p50: summary(waited).p50,
        p99: summary(waited).p99,
        cpu,
        unit,
        work: cpu / unit,
        memory: await server.memory(),
        ...(await server.madeOf()),
      });
      console.info(JSON.stringify(rows.at(-1)));
    }
    load.isOver = true;
    await mixed;
    judge('the server was not restarted', server.isRunning());
    console.log([...told].map(([what, count]) => `${what}: ${count}`).join(', '));
  } finally {
    await server.stop();
  }
  printTable(
    rows.map(({ minute, calls, p50, p99, cpu, unit, work, memory, heap, external, rss }) => ({
      minute,
      calls,
      'p50 ms': p50,
      'p99 ms': p99,
      'CPU ms a call': cpu.toFixed(2),
      'ms of the same work': unit.toFixed(2),
      ratio: work.toFixed(2),
      'memory MB': Math.round(memory),
      'own MB': rss,
      'heap MB': heap,
      'external MB': external,
    })),
  );
  const later = rows.slice(WINDOWS / 2);
  const perMinute = slope(later, 'memory');
  const growth = (figure: 'p99' | 'work'): number =>
    (slope(later, figure) * (minutes / 2)) / (later.reduce((sum, each) => sum + each[figure], 0) / later.length);
  console.log(
    `memory: ${perMinute.toFixed(2)} MB a minute; p99: ${slope(later, 'p99').toFixed(2)} ms a minute; CPU, against the same work: ${(growth('work') * 100).toFixed(0)} % in the second half`,
  );
  judge(
    `memory grows by less than ${MOST_GROWTH_MB} MB in the second half`,
    perMinute * (minutes / 2) < MOST_GROWTH_MB,
  );
  judge('p99 grows by less than half in the second half', growth('p99') < MOST_GROWTH);
  judge('the processor time of a call grows by less than half in the second half', growth('work') < MOST_GROWTH);
}

interface Window {
  readonly minute: number;
  readonly calls: number;
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds of the processor a call. */
  readonly cpu: number;
  /** How long the same small work took meanwhile: twice as long where others share its caches and cores. */
  readonly unit: number;
  /** A call against that work, which a busy machine does not change. */
  readonly work: number;
  /** Of the server and its children; the others are the server's alone. */
  readonly memory: number;
  readonly rss: number;
  readonly heap: number;
  readonly external: number;
}

/** The median slope between any two windows (Theil-Sen): one in which memory was given back does not decide it. */
const slope = (windows: readonly Window[], figure: 'p99' | 'memory' | 'work'): number => {
  const slopes = windows.flatMap((later, at) =>
    windows.slice(0, at).map((before) => (later[figure] - before[figure]) / (later.minute - before.minute)),
  );
  return summary(slopes).p50;
};

const keepBusy = async (
  call: (turn: number) => Promise<unknown>,
  load: { readonly isOver: boolean },
): Promise<void> => {
  for (let turn = 0; !load.isOver; turn++) {
    await call(turn);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
};

type Server = Awaited<ReturnType<typeof watchServer>>;

/** What a tenant does in a day: calls of all kinds, definitions that change, decisions, plans, lists and mistakes. */
const mixedCall = async (server: Server, key: string, turn: number): Promise<readonly [string, { status: number }]> => {
  const post = (path: string, body: unknown) => server.send(path, body, { key });
  const get = (path: string) => server.send(path, undefined, { method: 'GET', key });
  const invoke = (tool: string, given: object) => post(`/v1/tools/${tool}/invoke`, { arguments: given });
  const kinds: Readonly<Record<string, () => Promise<{ status: number }>>> = {
    text: () => invoke('text_stats', { text: `turn ${turn} `.repeat(50) }),
    query: () => invoke('json_query', { data: { turn }, expression: 'turn * 2' }),
    csv: () => invoke('csv_to_json', { csv: `a,b\n${turn},2\n` }),
    mistake: () => invoke('hash', { wrong: turn }),
    decide: () => post('/v1/decide', { task: `convert ${turn} km to miles` }),
    search: () => get(`/v1/tools?q=picture ${turn % 50}`),
    register: () => post('/v1/tools', changingTool(turn)),
    remove: () => server.send(`/v1/tools/soak_${(turn - 1) % 20}`, undefined, { method: 'DELETE', key }),
    score: () => post('/v1/score', { image: { base64: PICTURE }, tools: ['entropy'] }),
    plan: () => planAndRun(post, turn),
    watch: () => watchBriefly(server, key),
    convert: () => get('/v1/providers/anthropic/tools'),
    mcp: () => listByMcp(server, key),
    summary: () => get('/v1/summary'),
    executions: () => get('/v1/executions?limit=20'),
  };
  const entries = Object.entries(kinds);
  const [kind, call] = entries[turn % entries.length] as (typeof entries)[number];
  return [kind, await call()];
};

const listByMcp = (server: Server, key: string): Promise<Answered> => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MCP_VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MCP_VERSION,
    'mcp-method': 'tools/list',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } });
  return fetch(`${server.address}/mcp`, { method: 'POST', headers, body }).then(readAnswer);
};

const planAndRun = async (
  post: (path: string, body: unknown) => ReturnType<Server['send']>,
  turn: number,
): Promise<{ status: number }> => {
  const nodes = [{ id: 'a', tool: 'hash', arguments: { text: `turn ${turn}` } }];
  const { body } = await post('/v1/plans', { nodes });
  return post(`/v1/plans/${(body as { plan_id: string }).plan_id}/runs`, {});
};

/** Opens the stream of events and leaves it, as a browser does that goes to another page. */
const watchBriefly = async (server: Server, key: string): Promise<{ status: number }> => {
  const leave = new AbortController();
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
  const { status } = await fetch(`${server.address}/v1/events`, { headers, signal: leave.signal });
  leave.abort();
  return { status };
};

/** One pixel, as PNG. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const changingTool = (turn: number) => ({
  name: `soak_${turn % 20}`,
  version: `1.0.${turn}`,
  description: `Changes with turn ${turn}`,
  type: 'function',
  handler: 'soak',
  parameters: { type: 'object', properties: { [`field_${turn % 100}`]: { type: 'string' } } },
  implementation: { type: 'mock', mock_response: turn },
});
