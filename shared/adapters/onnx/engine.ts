import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { checkRequest } from '../../iqa/check-request.ts';
import type { IqaEngine, ScoreRequest } from '../../iqa/engine.ts';
import type { GraphMetric } from '../../iqa/metric.ts';
import { graphMetric, graphMetrics } from '../../iqa/metrics.ts';
import { pixelMetrics } from '../../iqa/nr/metrics.ts';
import type { Pixels } from '../../iqa/pixels.ts';
import { addParts, divideRows, joinParts } from '../../iqa/strips.ts';
import { Fault } from '../../kernel/errors.ts';
import { lazily } from '../../kernel/lazily.ts';
import type { Log } from '../../kernel/ports.ts';
import { createPictureBudget, type PictureBudget } from '../images/picture-budget.ts';
import { defaultLimits, type PictureLimits } from '../images/picture-formats.ts';
import type { PicturesAsk } from './messages.ts';
import { createPictureMemory } from './picture-memory.ts';
import { createPixelPasses, type PixelPasses } from './pixel-passes.ts';
import { WorkerPool } from './pool.ts';

export interface OnnxEngineOptions {
  readonly log: Log;
  /** Execution providers in order of preference; one that does not work is logged and left out. */
  readonly providers?: readonly string[];
  /** Worker threads; as many as there are cores unless given. */
  readonly workers?: number;
  readonly limits?: Partial<PictureLimits>;
  /** The memory for decoded pictures, where others share it. */
  readonly budget?: PictureBudget;
  /** Where the graphs that run are kept as files, for people to open; nowhere unless given. */
  readonly graphFolder?: string;
  /** The worker's own file, where it was bundled apart from this one. */
  readonly workerUrl?: URL;
  /** How long closing waits for native code that a worker is inside; 30 s unless given. */
  readonly closeMs?: number;
}

/** Decodes with sharp and scores with ONNX Runtime, in worker threads. */
export function onnxEngine(options: OnnxEngineOptions): IqaEngine {
  const size = options.workers ?? availableParallelism();
  const memory = createPictureMemory(2 * size);
  const inTurn = createTurns();
  const budget = options.budget ?? createPictureBudget();
  const pool = new WorkerPool({
    workerUrl: options.workerUrl ?? new URL('./worker.ts', import.meta.url),
    size,
    settings: {
      providers: options.providers ?? ['cpu'],
      limits: { ...defaultLimits, ...options.limits },
      graphFolder: options.graphFolder,
      cores: size,
      // A bundle has no such file beside it.
      decodeChild: options.workerUrl ? undefined : fileURLToPath(new URL('./decode-child.ts', import.meta.url)),
    },
    log: options.log,
    closeMs: options.closeMs,
  });
  const passes = createPixelPasses(pool);
  return {
    async reserve(files, tenant, signal) {
      const sizes = await Promise.all(
        files.map(({ bytes, name }) => pool.run('measure', { bytes, name }, { what: `reading ${name}`, signal })),
      );
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      const giveBack = await budget.reserve(tenant, bytes, signal);
      // Until then the next picture would take new memory beside that of this one.
      return () => memory.whenFree(giveBack);
    },
    async decode(bytes, name = 'the picture', signal) {
      const lent = memory.lend();
      const ask = { bytes, name, memory: lent };
      const { picture, usedMemory } = await pool.run('decode', ask, { what: `decoding ${name}`, signal });
      return memory.receive(picture, usedMemory ? lent : undefined);
    },
    release: memory.release,
    score: (request) =>
      isHuge(request.picture.pixels) ? inTurn(() => scoreOn(pool, passes, request)) : scoreOn(pool, passes, request),
    map: (request) => mapOn(pool, request),
    encode: (pixels, settings) =>
      pool.run('encode', { pixels, options: settings }, { what: `encoding ${settings.format}` }),
    inspect: (path) => pool.run('inspect', { path }, { what: `opening ${path}` }),
    versions,
    close: () => pool.close(),
  };
}

async function scoreOn(pool: WorkerPool, passes: PixelPasses, request: ScoreRequest): Promise<number> {
  const score = await rawScore(pool, passes, request);
  if (Number.isFinite(score)) return score;
  const text = `${request.tool} gave ${score} for ${request.picture.name}, which is no score; use another tool for this picture`;
  throw new Fault('ToolExecutionError', text, { tool: request.tool, picture: request.picture.name });
}

async function rawScore(pool: WorkerPool, passes: PixelPasses, request: ScoreRequest): Promise<number> {
  const { tool, model } = request;
  const job = { what: describeRequest(request), signal: request.signal };
  if (model) {
    checkRequest(request, { reference: request.reference !== undefined, minimumSide: 1 });
    return pool.run('model', { ...toPicturesAsk(request), model }, job);
  }
  const metric = graphMetric(tool);
  if (metric) {
    checkRequest(request, { reference: true, minimumSide: metric.minimumSide });
    return runMetric(pool, metric, request);
  }
  const pixelMetric = pixelMetrics.find(({ name }) => name === tool);
  if (!pixelMetric) throw unknownTool(tool);
  checkRequest(request, { reference: false, minimumSide: pixelMetric.minimumSide });
  return passes(request, pixelMetric, isHuge(request.picture.pixels) ? 1 : pool.size);
}

// Of these the memory counts more than the time: a second worker would take 40 MB and more of its own.
const isHuge = ({ width, height }: Pixels): boolean => width * height > 64e6;

/** Runs calls one after the other. */
function createTurns(): <Value>(call: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return (call) => {
    const own = last.then(call);
    last = own.catch(() => {});
    return own;
  };
}

async function runMetric(pool: WorkerPool, metric: GraphMetric, request: ScoreRequest): Promise<number> {
  const job = { what: describeRequest(request), signal: request.signal };
  const ask = toPicturesAsk(request);
  if (metric.kind === 'whole') return onlyValue(await pool.run('metric', ask, job));
  const size = request.picture.pixels;
  // A network takes all cores itself: parts would compute the borders between them twice.
  const count = isHuge(size) || metric.weightsFile ? 1 : pool.size;
  const parts = divideRows(metric.rows(size), count, metric.rowUnit);
  const sums = await Promise.all(parts.map((rows) => pool.run('metric', { ...ask, rows }, job)));
  return metric.finish(metric.arePlanes ? joinParts(sums) : addParts(sums), size);
}

async function mapOn(pool: WorkerPool, request: ScoreRequest) {
  const metric = graphMetric(request.tool);
  if (!metric?.map) {
    const able = graphMetrics.flatMap(({ name, map }) => (map ? [name] : [])).join(', ');
    throw new Fault('InvalidInput', `${request.tool} has no quality map; these have: ${able}`, { tool: request.tool });
  }
  checkRequest(request, { reference: true, minimumSide: metric.minimumSide });
  return pool.run('map', toPicturesAsk(request), {
    what: `the ${describeRequest(request)} map`,
    signal: request.signal,
  });
}

const describeRequest = ({ tool, picture }: ScoreRequest): string => `${tool} on ${picture.name}`;

const toPicturesAsk = ({ tool, picture, reference }: ScoreRequest): PicturesAsk => ({
  tool,
  picture: picture.pixels,
  reference: reference?.pixels,
});

const onlyValue = (values: Float64Array): number => values[0] ?? Number.NaN;

const unknownTool = (tool: string): Fault =>
  new Fault(
    'Unavailable',
    `${tool} has no graph here and no model file; add one with: assay models add ${tool} file.onnx`,
    {
      tool,
    },
  );

// Loaded when first asked for: otherwise only the workers load the native libraries.
const versions = lazily((): Readonly<Record<string, string>> => {
  const load = createRequire(import.meta.url);
  const { sharp, vips } = load('sharp').versions;
  return { sharp, vips, onnxruntime: load('onnxruntime-node/package.json').version };
});
