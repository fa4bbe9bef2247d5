import { InferenceSession, listSupportedBackends, Tensor } from 'onnxruntime-node';
import type { BuiltGraph } from '../../iqa/graph.ts';
import type { Feed, GraphRunner } from '../../iqa/metric.ts';
import { Fault, messageOf } from '../../kernel/errors.ts';
import type { NativeCode } from './native-code.ts';
import { readWeights } from './weight-files.ts';

export type Warn = (message: string, fields: Readonly<Record<string, unknown>>) => void;

/** Opens sessions and keeps one for each digest. */
export interface Sessions {
  ofGraph(graph: BuiltGraph): Promise<InferenceSession>;
  ofFile(path: string, digest: string): Promise<InferenceSession>;
  readonly learned: GraphRunner['learned'];
}

/**
 * Sessions on the first of the providers that works; each that does not is reported once. Where `cpu` is not among
 * them, one that does not work is refused: a machine paid for its GPU shall not quietly go without. Each graph is also
 * given to `keep`, whose failure is reported and stops nothing. Graphs with learned weights run on `cores` threads.
 */
export function createSessions(
  providers: readonly string[],
  warn: Warn,
  keep?: (graph: BuiltGraph) => void,
  cores = 1,
): Sessions {
  const opened = new Map<string, Promise<InferenceSession>>();
  const filled = new Map<string, BuiltGraph>();
  const failed = new Set(['cpu']);
  const supported = new Set(listSupportedBackends().map(({ name }) => name));

  const open = async (create: Create): Promise<InferenceSession> => {
    for (const provider of providers) {
      if (failed.has(provider)) continue;
      try {
        if (!supported.has(provider)) throw new Error(`this build of ONNX Runtime has ${[...supported].join(', ')}`);
        return await create({ ...options, executionProviders: [provider, 'cpu'] });
      } catch (thrown) {
        if (!providers.includes('cpu')) throw notHere(provider, thrown);
        failed.add(provider);
        warn(`execution provider ${provider} does not work here, going on without it`, { error: messageOf(thrown) });
      }
    }
    return create({ ...options, executionProviders: ['cpu'] });
  };
  const once = (key: string, create: Create): Promise<InferenceSession> => {
    const known = opened.get(key);
    if (known) return known;
    const opening = open(create);
    opened.set(key, opening);
    opening.catch(() => opened.delete(key));
    return opening;
  };

  const kept = (graph: BuiltGraph): void => {
    try {
      keep?.(graph);
    } catch (thrown) {
      warn('graphs cannot be kept as files', { error: messageOf(thrown) });
    }
  };

  return {
    ofGraph: (graph) =>
      once(graph.digest, (settings) => {
        kept(graph);
        const isLearned = [...filled.values()].includes(graph);
        return InferenceSession.create(graph.bytes, isLearned ? { ...settings, ...onAll(cores) } : settings);
      }),
    ofFile: (path, digest) => once(digest, (settings) => InferenceSession.create(path, settings)),
    learned(file, build) {
      const graph = filled.get(file.sha256) ?? build(readWeights(file));
      filled.set(file.sha256, graph);
      return graph as ReturnType<typeof build>;
    },
  };
}

/** Runs graphs in these sessions, asking before each whether anybody still waits. */
export function graphRunner(
  sessions: Sessions,
  throwIfAborted: () => void,
  runNative: NativeCode['run'] = (work) => work(),
): GraphRunner {
  return {
    learned: sessions.learned,
    throwIfAborted,
    async run(graph, feeds) {
      throwIfAborted();
      const outputs = await runNative(async () => {
        const session = await sessions.ofGraph(graph);
        return session.run(Object.fromEntries(Object.entries(feeds).map(([k, v]) => [k, tensorOf(v)])));
      });
      return Object.fromEntries(graph.outputNames.map((name) => [name, outputs[name]?.data as Float32Array])) as Record<
        (typeof graph.outputNames)[number],
        Float32Array
      >;
    },
  };
}

export const tensorOf = ({ type, data, shape }: Feed): Tensor =>
  type === 'uint8'
    ? new Tensor('uint8', data as Uint8Array, shape as number[])
    : new Tensor('float32', data as Float32Array, shape as number[]);

const notHere = (provider: string, cause: unknown): Fault =>
  new Fault(
    'Unavailable',
    `the execution provider ${provider} does not work here: ${messageOf(cause)}; add cpu to the providers to go on without it`,
    { provider },
    { cause },
  );

type Create = (options: InferenceSession.SessionOptions) => Promise<InferenceSession>;

// Threads that wait for work would take the cores from the other workers by turning round and round.
const onAll = (cores: number): InferenceSession.SessionOptions => ({
  intraOpNumThreads: cores,
  extra: { session: { intra_op: { allow_spinning: '0' } } },
});

// One thread for each session, as the pool's workers share the cores; only 'all' gives the fast convolution layout.
const options: InferenceSession.SessionOptions = {
  graphOptimizationLevel: 'all',
  executionMode: 'sequential',
  enableMemPattern: false,
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  logSeverityLevel: 3,
};
