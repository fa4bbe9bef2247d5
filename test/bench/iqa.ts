import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { ssim as ssimJs } from 'ssim.js';
import { onnxEngine } from '../../shared/adapters/onnx/engine.ts';
import type { IqaEngine, Picture } from '../../shared/iqa/engine.ts';
import { graphMetrics } from '../../shared/iqa/metrics.ts';
import { pixelMetrics } from '../../shared/iqa/nr/metrics.ts';
import { recordingLog } from '../support/recording-log.ts';
import { benchFit } from './iqa-fit.ts';
import { benchMemory } from './iqa-memory.ts';
import { jpegPair } from './iqa-pictures.ts';
import { plainSsim } from './iqa-plain-ssim.ts';
import { type Cost, openPython, type PythonScores } from './iqa-python.ts';
import { judge, printTable } from './report.ts';
import { alternate, median } from './support/measure.ts';

/**
 * `npm run bench -- iqa` measures time, `npm run bench -- iqa memory` memory, `iqa fit` image_fit;
 * `npm run bench -- iqa --python /usr/bin/python3` also measures IQA-PyTorch where that Python has it; with
 * `--metrics lpips,nlpd` only these are compared with it.
 */
export async function bench(args: readonly string[]): Promise<void> {
  if (args[0] === 'memory') return benchMemory();
  if (args[0] === 'fit') return benchFit(args.slice(1));
  const { python, metrics } = parseArgs({ args: [...args], options: OPTIONS }).values;
  const engine = onnxEngine({ log: recordingLog() });
  try {
    if (metrics === undefined) {
      await benchSizes(engine);
      await benchMetrics(engine);
    }
    if (python !== undefined) await benchPython(engine, python, metrics?.split(','));
  } finally {
    await engine.close();
  }
}

const OPTIONS = { python: { type: 'string' }, metrics: { type: 'string' } } as const;

const sizes = [
  { width: 512, height: 512, rounds: 15, slowRounds: 3 },
  { width: 1920, height: 1080, rounds: 11, slowRounds: 1 },
  { width: 3840, height: 2160, rounds: 9, slowRounds: 1 },
] as const;

interface Pair {
  readonly files: readonly [Buffer, Buffer];
  readonly picture: Picture;
  readonly reference: Picture;
}

async function benchSizes(engine: IqaEngine): Promise<void> {
  const rows = [];
  for (const { width, height, rounds, slowRounds } of sizes) {
    const pair = await openPair(engine, width, height);
    const fast = await alternate(rounds, {
      decode: time(() => decodeInTurn(pair.files)),
      ssim: time(() => engine.score({ tool: 'ssim', ...pair })),
      psnr: time(() => engine.score({ tool: 'psnr', ...pair })),
      whole: time(() => scoreFiles(engine, pair.files)),
    });
    const slow = await alternate(slowRounds, {
      plain: time(() => plainSsim(pair.picture.pixels, pair.reference.pixels)),
      ssimJs: time(() => ssimJs(rgba(pair.picture), rgba(pair.reference), { ssim: 'fast', downsample: false })),
    });
    rows.push({
      size: `${width}x${height}`,
      'decode two, ms': fast.decode.toFixed(1),
      'ssim, ms': fast.ssim.toFixed(1),
      'psnr, ms': fast.psnr.toFixed(1),
      'files to ssim, ms': fast.whole.toFixed(1),
      'ssim / decode': ratio(fast.ssim, fast.decode),
      'psnr / decode': ratio(fast.psnr, fast.decode),
      'plain loop / ssim': ratio(slow.plain, fast.ssim),
      'ssim.js fast / ssim': ratio(slow.ssimJs, fast.ssim),
    });
    if (width === 3840) judgeAll(fast, slow);
  }
  printTable(rows);
}

function judgeAll(fast: Record<'decode' | 'ssim' | 'psnr', number>, slow: Record<'plain' | 'ssimJs', number>): void {
  judge('ssim at 4K takes at most 2.0 times the decoding of both files', fast.ssim <= 2 * fast.decode);
  judge('psnr at 4K takes at most 0.8 times the decoding of both files', fast.psnr <= 0.8 * fast.decode);
  judge('ssim at 4K is at least 15 times as fast as ssim.js fast', slow.ssimJs >= 15 * fast.ssim);
  judge('ssim at 4K is at least 8 times as fast as a plain loop', slow.plain >= 8 * fast.ssim);
}

async function benchMetrics(engine: IqaEngine): Promise<void> {
  const pairs = await Promise.all(sizes.map(({ width, height }) => openPair(engine, width, height)));
  const rows = new Map(graphMetrics.map(({ name }) => [name, { 'time / ssim': name } as Record<string, string>]));
  for (const [index, pair] of pairs.entries()) {
    const measurements = graphMetrics.map(({ name }) => [name, time(() => engine.score({ tool: name, ...pair }))]);
    const times = await alternate(index === 2 ? 2 : 5, Object.fromEntries(measurements) as Measurements);
    for (const [name, row] of rows) row[`${sizes[index]?.width} wide`] = ratio(times[name] ?? 0, times.ssim ?? 0);
  }
  console.log();
  printTable([...rows.values()]);
}

/**
 * No metric may take more than two thirds of IQA-PyTorch's time, and psnr no more than all of it. CPU time is printed
 * too, because other load affects it least.
 */
async function benchPython(
  engine: IqaEngine,
  python: string,
  metrics: readonly string[] = [...graphMetrics, ...pixelMetrics].map(({ name }) => name),
): Promise<void> {
  const rows = new Map(metrics.map((name) => [name, { 'IQA-PyTorch / ours': name } as Record<string, string>]));
  const folder = await mkdtemp(join(tmpdir(), 'assay-bench-'));
  try {
    for (const { width, height } of sizes) {
      const pair = await openPair(engine, width, height);
      const paths = [join(folder, 'reference.jpg'), join(folder, 'picture.jpg')] as const;
      await Promise.all(paths.map((path, index) => writeFile(path, pair.files[index] ?? '')));
      const theirs = await openPython(python, metrics, paths);
      for (const name of theirs.metrics) {
        const { clock, processor } = await compareWith(engine, theirs, name, pair);
        const row = rows.get(name);
        if (row) Object.assign(row, { [`${width} wide`]: clock, [`${width}, processor`]: processor });
        const least = name === 'psnr' ? 1 : 1.5;
        judge(`${name} at ${width} pixels: ${clock}, at least ${least}x`, Number.parseFloat(clock) >= least);
      }
      theirs.close();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  console.log();
  printTable([...rows.values()].filter((row) => Object.keys(row).length > 1));
}

async function compareWith(engine: IqaEngine, theirs: PythonScores, tool: string, pair: Pair) {
  const { picture, reference } = pair;
  const blind = pixelMetrics.some(({ name }) => name === tool);
  const own = async (): Promise<Cost> => {
    const [started, before] = [performance.now(), process.cpuUsage()];
    await engine.score(blind ? { tool, picture } : { tool, picture, reference });
    const { user, system } = process.cpuUsage(before);
    return { clock: performance.now() - started, processor: (user + system) / 1000 };
  };
  const costs: (readonly [Cost, Cost])[] = [];
  // The first round is a warm-up.
  for (let round = 0; round < 6; round++) costs.push([await theirs.score(tool), await own()]);
  const middle = (side: 0 | 1, of: keyof Cost): number => median(costs.slice(1).map((each) => each[side][of]));
  return {
    clock: ratio(middle(0, 'clock'), middle(1, 'clock')),
    processor: ratio(middle(0, 'processor'), middle(1, 'processor')),
  };
}

type Measurements = Readonly<Record<string, () => Promise<number>>>;

async function openPair(engine: IqaEngine, width: number, height: number): Promise<Pair> {
  const files = await jpegPair(width, height);
  return { files, reference: await engine.decode(files[0]), picture: await engine.decode(files[1]) };
}

async function scoreFiles(engine: IqaEngine, [first, second]: readonly [Buffer, Buffer]): Promise<void> {
  const [reference, picture] = await Promise.all([engine.decode(first), engine.decode(second)]);
  await engine.score({ tool: 'ssim', picture, reference });
  engine.release(reference);
  engine.release(picture);
}

async function decodeInTurn(files: readonly Buffer[]): Promise<void> {
  for (const file of files) await sharp(file).raw().toBuffer();
}

const time = (call: () => unknown) => async (): Promise<number> => {
  const started = performance.now();
  await call();
  return performance.now() - started;
};

function rgba({ pixels }: Picture): ImageData {
  const data = new Uint8ClampedArray(pixels.width * pixels.height * 4).fill(255);
  for (let from = 0, to = 0; from < pixels.data.length; from += 3, to += 4) {
    data.set(pixels.data.subarray(from, from + 3), to);
  }
  return { data, width: pixels.width, height: pixels.height, colorSpace: 'srgb' } as ImageData;
}

const ratio = (a: number, b: number): string => `${(a / b).toFixed(2)}x`;
