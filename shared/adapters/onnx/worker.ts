import { parentPort } from 'node:worker_threads';
import sharp from 'sharp';
import type { GraphRunner, Pair } from '../../iqa/metric.ts';
import { graphMetric } from '../../iqa/metrics.ts';
import { sumsTogether } from '../../iqa/nr/metrics.ts';
import type { Picture, Pixels, QualityMap } from '../../iqa/pixels.ts';
import { Fault } from '../../kernel/errors.ts';
import { restrictFormats } from '../images/picture-formats.ts';
import { collectGarbage, HUGE_BYTES } from './collect-garbage.ts';
import { type DecodeSettings, decodePicture, measurePicture } from './decode.ts';
import { encodePicture } from './encode.ts';
import { toFailure } from './failure.ts';
import { keepGraph } from './graph-files.ts';
import type { JobKind, JobMessage, Jobs, MetricAsk, PicturesAsk, Reply } from './messages.ts';
import { inspectModel, runModel } from './model.ts';
import { openNativeThread } from './native-code.ts';
import { createSessions, graphRunner } from './sessions.ts';
import { createWeights } from './weights.ts';

/** What the pool tells a worker when it starts. */
export interface WorkerSettings extends DecodeSettings {
  readonly providers: readonly string[];
  /** Where the graphs that run are kept as files. */
  readonly graphFolder?: string;
  /** How many threads a network may take. */
  readonly cores: number;
}

const { settings: started, native } = openNativeThread<WorkerSettings>();
const { providers, graphFolder, cores, ...settings } = started;
const port = parentPort;
const reply = (message: Reply): void => {
  // Sums may be whole planes: they go over as they are, not as a copy.
  const sums = 'answer' in message && message.answer instanceof Float64Array ? message.answer.buffer : undefined;
  port?.postMessage(message, sums instanceof ArrayBuffer ? [sums] : []);
};
const sessions = createSessions(
  providers,
  (warning, fields) => reply({ warning, fields }),
  graphFolder === undefined ? undefined : (graph) => keepGraph(graphFolder, graph),
  cores,
);
const weigh = createWeights();
restrictFormats(sharp);
native.loaded();

type Work = {
  readonly [Kind in JobKind]: (ask: Jobs[Kind]['ask'], runner: GraphRunner) => Promise<Jobs[Kind]['answer']>;
};

const work: Work = {
  decode,
  measure: ({ bytes, name }) => native.run(() => measurePicture(bytes, name, settings.limits)),
  encode: ({ pixels, options }) => native.run(() => encodePicture(pixels, options)),
  metric: runMetric,
  pass: async ({ tools, picture, rows }) => sumsTogether(tools, picture, rows),
  map: runMap,
  model: ({ model, picture, reference, tool }) => native.run(() => runModel(sessions, tool, model, picture, reference)),
  inspect: ({ path }) => native.run(() => inspectModel(path)),
};

port?.on('message', async ({ id, kind, ask, givenUp }: JobMessage) => {
  const throwIfAborted = (): void => {
    if (Atomics.load(givenUp, 0) === 1) throw new Fault('ToolExecutionError', 'the request was given up');
  };
  try {
    const run = work[kind] as (ask: unknown, runner: GraphRunner) => Promise<unknown>;
    const answer = await run(ask, graphRunner(sessions, throwIfAborted, native.run));
    reply({ id, answer });
    // In a later turn, in which nothing here holds the picture any more.
    if (isHuge(ask) || (kind === 'decode' && isHuge(answer))) setTimeout(collectGarbage);
  } catch (thrown) {
    reply({ id, failure: toFailure(thrown) });
  }
});

function isHuge(held: unknown): boolean {
  const { picture } = held as { readonly picture?: Pixels | Picture };
  if (picture === undefined) return false;
  return ('pixels' in picture ? picture.pixels : picture).data.length > HUGE_BYTES;
}

async function decode({ bytes, name, memory }: Jobs['decode']['ask']): Promise<Jobs['decode']['answer']> {
  let usedMemory = false;
  const picture = await decodePicture(bytes, name, settings, native, (length) => {
    usedMemory = memory !== undefined && memory.byteLength >= length;
    return new Uint8Array(memory && usedMemory ? memory : new SharedArrayBuffer(length), 0, length);
  });
  // The decoder's own copy and what came in wait for the garbage collection too.
  weigh(2 * picture.pixels.data.length + bytes.length);
  return { picture, usedMemory };
}

async function runMetric({ tool, picture, reference, rows }: MetricAsk, runner: GraphRunner): Promise<Float64Array> {
  const metric = graphMetric(tool);
  const pair = requirePair({ tool, picture, reference });
  if (metric?.kind === 'strips' && rows) return metric.sums(pair, rows, runner);
  if (metric?.kind === 'whole') return Float64Array.of(await metric.score(pair, runner));
  throw new Error(`no metric of the name ${tool}`);
}

async function runMap(ask: MetricAsk, runner: GraphRunner): Promise<QualityMap> {
  const metric = graphMetric(ask.tool);
  if (!metric?.map) throw new Error(`no map of the metric ${ask.tool}`);
  return metric.map(requirePair(ask), runner);
}

function requirePair({ tool, picture, reference }: PicturesAsk): Pair {
  if (!reference) throw new Error(`${tool} needs a reference`);
  return { picture, reference };
}
