import { bundleClone } from '../../infra/build/bundle-command.ts';
import { judge, printTable, summary } from './report.ts';
import { mixedCall } from './support/mixed-calls.ts';
import { politely, startControl } from './support/polite.ts';
import { watchServer } from './support/watched-server.ts';

const WINDOWS = 12;
const MOST_GROWTH_MB = 50;
const MOST_GROWTH = 0.5;
/** The pause between two calls of a client: the load is long rather than high. */
const PAUSE_MS = 25;

/**
 * A mixed load on a real server: `npm run bench -- soak --minutes 60`. Prints memory and p99 of each twelfth of the
 * time, and their slopes over the second half, because caches fill in the first.
 */
export async function bench(args: readonly string[]): Promise<void> {
  const minutes = numberOf(args, '--minutes', 60);
  const pauseMs = numberOf(args, '--pause', PAUSE_MS);
  // Bundled as installed, because a process run from the sources takes 1.5 times the memory.
  await bundleClone();
  const [server, control] = [await watchServer(), await startControl()];
  const rows: Window[] = [];
  try {
    const polite = await server.key('polite', ['read', 'invoke']);
    const other = await server.key('other', ['read', 'invoke', 'write']);
    const load = { isOver: false, calls: 0 };
    const told = new Map<string, number>();
    const mixed = keepBusy(
      async (turn) => {
        const [kind, { status }] = await mixedCall(server, other, turn).catch(() => ['lost', { status: 0 }] as const);
        load.calls++;
        told.set(`${kind} ${status}`, (told.get(`${kind} ${status}`) ?? 0) + 1);
      },
      load,
      pauseMs,
    );
    for (let window = 1; window <= WINDOWS; window++) {
      const times = await politely(server.address, polite, { pauseMs, control: control.address });
      const [cpuBefore, mixedBefore] = [await server.cpu(), load.calls];
      await new Promise((resolve) => setTimeout(resolve, (minutes * 60_000) / WINDOWS));
      const waited = await times();
      const calls = waited.product.length + load.calls - mixedBefore;
      const cpu = ((await server.cpu()) - cpuBefore) / calls;
      const [p99, controlP99] = [summary(waited.product).p99, summary(waited.control).p99];
      const unit = summary((await server.same()).slice(-Math.max(10, (minutes * 60) / WINDOWS))).p50;
      rows.push({
        minute: Number(((minutes * window) / WINDOWS).toFixed(1)),
        calls,
        p50: summary(waited.product).p50,
        p99,
        control: controlP99,
        wait: p99 / controlP99,
        cpu,
        unit,
        work: cpu / unit,
        memory: await server.memory(),
        ...(await server.madeOf()),
        live: await server.live(),
      });
      console.info(JSON.stringify(rows.at(-1)));
    }
    load.isOver = true;
    await mixed;
    judge('the server was not restarted', server.isRunning());
    console.log([...told].map(([what, count]) => `${what}: ${count}`).join(', '));
  } finally {
    await server.stop();
    control.stop();
  }
  printTable(
    rows.map(({ minute, calls, p50, p99, control, wait, cpu, unit, work, memory, heap, external, rss, live }) => ({
      minute,
      calls,
      'p50 ms': p50,
      'p99 ms': p99,
      'control p99 ms': control,
      times: wait.toFixed(2),
      'CPU ms a call': cpu.toFixed(2),
      'ms of the same work': unit.toFixed(2),
      ratio: work.toFixed(2),
      'memory MB': Math.round(memory),
      'own MB': rss,
      'heap MB': heap,
      'external MB': external,
      'live MB': live.toFixed(1),
    })),
  );
  const later = rows.slice(WINDOWS / 2);
  const perMinute = slope(later, 'memory');
  const growth = (figure: 'wait' | 'work'): number =>
    (slope(later, figure) * (minutes / 2)) / (later.reduce((sum, each) => sum + each[figure], 0) / later.length);
  console.log(
    `memory: ${perMinute.toFixed(2)} MB a minute, ${slope(later, 'live').toFixed(2)} of them live; p99: ${slope(later, 'p99').toFixed(2)} ms a minute; p99 against the control: ${(growth('wait') * 100).toFixed(0)} % and CPU, against the same work: ${(growth('work') * 100).toFixed(0)} % in the second half`,
  );
  judge(
    `memory grows by less than ${MOST_GROWTH_MB} MB in the second half`,
    perMinute * (minutes / 2) < MOST_GROWTH_MB,
  );
  judge('p99 against the control grows by less than half in the second half', growth('wait') < MOST_GROWTH);
  judge('the processor time of a call grows by less than half in the second half', growth('work') < MOST_GROWTH);
}

interface Window {
  readonly minute: number;
  readonly calls: number;
  readonly p50: number;
  readonly p99: number;
  /** The p99 of a server that never changes, for the same client at the same time. */
  readonly control: number;
  /** The ratio of the two p99, which is independent of the machine's load. */
  readonly wait: number;
  /** CPU milliseconds per call. */
  readonly cpu: number;
  /** The time of a fixed piece of work meanwhile: up to twice as long when caches and cores are shared. */
  readonly unit: number;
  /** The ratio of `cpu` to `unit`, which is independent of the machine's load. */
  readonly work: number;
  /** Memory of the server and its children; the other figures are of the server alone. */
  readonly memory: number;
  readonly rss: number;
  readonly heap: number;
  readonly external: number;
  /** Heap in use after a full garbage collection: caches and leaks. */
  readonly live: number;
}

/** The median slope over all pairs of windows (Theil-Sen), which a single outlier does not determine. */
const slope = (windows: readonly Window[], figure: 'p99' | 'wait' | 'memory' | 'live' | 'work'): number => {
  const slopes = windows.flatMap((later, at) =>
    windows.slice(0, at).map((before) => (later[figure] - before[figure]) / (later.minute - before.minute)),
  );
  return summary(slopes).p50;
};

const keepBusy = async (
  call: (turn: number) => Promise<unknown>,
  load: { readonly isOver: boolean },
  pauseMs: number,
): Promise<void> => {
  for (let turn = 0; !load.isOver; turn++) {
    await call(turn);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
};

const numberOf = (args: readonly string[], name: string, otherwise: number): number =>
  args.includes(name) ? Number(args[args.indexOf(name) + 1]) : otherwise;
