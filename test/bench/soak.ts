import { judge, printTable, summary } from './report.ts';
import { politely } from './support/polite.ts';
import { watchServer } from './support/watched-server.ts';

const WINDOWS = 12;
const MOST_GROWTH_MB = 50;
const MOST_P99_GROWTH = 0.5;

/**
 * A mixed load on a real server: `npm run bench -- soak --minutes 60`. Prints memory and p99 of each twelfth of the time
 * and the slope of both through the second half; in the first one caches fill.
 */
export async function bench(args: readonly string[]): Promise<void> {
  const minutes = Number(args[args.indexOf('--minutes') + 1] ?? 60) || 60;
  const server = await watchServer();
  const rows: Window[] = [];
  try {
    const polite = await server.key('polite', ['read', 'invoke']);
    const other = await server.key('other', ['read', 'invoke', 'write']);
    const load = { isOver: false };
    const mixed = keepBusy((turn) => mixedCall(server, other, turn), load);
    for (let window = 1; window <= WINDOWS; window++) {
      const times = politely(server.address, polite);
      await new Promise((resolve) => setTimeout(resolve, (minutes * 60_000) / WINDOWS));
      const { p99 } = summary(await times());
      rows.push({ minute: Number(((minutes * window) / WINDOWS).toFixed(1)), p99, memory: await server.memory() });
    }
    load.isOver = true;
    await mixed;
  } finally {
    await server.stop();
  }
  printTable(rows.map(({ minute, p99, memory }) => ({ minute, 'p99 ms': p99, 'memory MB': Math.round(memory) })));
  const later = rows.slice(WINDOWS / 2);
  const [perMinute, p99PerMinute] = [slope(later, 'memory'), slope(later, 'p99')];
  const mean = later.reduce((sum, { p99 }) => sum + p99, 0) / later.length;
  console.log(`memory: ${perMinute.toFixed(2)} MB a minute; p99: ${p99PerMinute.toFixed(2)} ms a minute`);
  judge(
    `memory grows by less than ${MOST_GROWTH_MB} MB in the second half`,
    perMinute * (minutes / 2) < MOST_GROWTH_MB,
  );
  judge('p99 grows by less than half in the second half', (p99PerMinute * minutes) / 2 < MOST_P99_GROWTH * mean);
}

interface Window {
  readonly minute: number;
  readonly p99: number;
  readonly memory: number;
}

/** The least-squares slope of a figure over the minutes. */
const slope = (windows: readonly Window[], figure: 'p99' | 'memory'): number => {
  const mean = (of: keyof Window): number => windows.reduce((sum, each) => sum + each[of], 0) / windows.length;
  const [middle, average] = [mean('minute'), mean(figure)];
  const rise = windows.reduce((sum, each) => sum + (each.minute - middle) * (each[figure] - average), 0);
  return rise / windows.reduce((sum, { minute }) => sum + (minute - middle) ** 2, 0);
};

const keepBusy = async (
  call: (turn: number) => Promise<unknown>,
  load: { readonly isOver: boolean },
): Promise<void> => {
  for (let turn = 0; !load.isOver; turn++) {
    await call(turn);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

type Server = Awaited<ReturnType<typeof watchServer>>;

/** What a tenant does in a day: calls of all kinds, definitions that change, decisions, lists and mistakes. */
const mixedCall = (server: Server, key: string, turn: number): Promise<unknown> => {
  const invoke = (tool: string, given: object) =>
    server.send(`/v1/tools/${tool}/invoke`, { arguments: given }, { key });
  const kinds: readonly (() => Promise<unknown>)[] = [
    () => invoke('text_stats', { text: `turn ${turn} `.repeat(50) }),
    () => invoke('json_query', { data: { turn }, expression: 'turn * 2' }),
    () => invoke('csv_to_json', { csv: `a,b\n${turn},2\n` }),
    () => invoke('hash', { wrong: turn }),
    () => server.send('/v1/decide', { request: `convert ${turn} km to miles` }, { key }),
    () => server.send(`/v1/tools?q=picture ${turn % 50}`, undefined, { method: 'GET', key }),
    () => server.send('/v1/tools', changingTool(turn), { key }),
    () => server.send('/v1/score', { image: { base64: PICTURE }, tools: ['entropy'] }, { key }),
  ];
  return Promise.resolve(kinds[turn % kinds.length]?.());
};

/** One pixel, as PNG. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const changingTool = (turn: number) => ({
  name: `soak_${turn % 20}`,
  description: `Changes with turn ${turn}`,
  type: 'function',
  handler: 'soak',
  parameters: { type: 'object', properties: { [`field_${turn % 100}`]: { type: 'string' } } },
  implementation: { type: 'mock', mock_response: turn },
});
