import { readdirSync, readFileSync } from 'node:fs';
import { onnxEngine } from '../../shared/adapters/onnx/engine.ts';
import type { IqaEngine, Picture } from '../../shared/iqa/engine.ts';
import { FIT_FORMATS, type FitFormat } from '../../shared/iqa/fit.ts';
import { searchSmallest } from '../../shared/iqa/fit-search.ts';
import type { Pixels } from '../../shared/iqa/pixels.ts';
import { recordingLog } from '../support/recording-log.ts';
import { judge, printTable } from './report.ts';

const TARGETS = { ssim: 0.95, ssimulacra2: 70, psnr: 34 } as const;
type Metric = keyof typeof TARGETS;
const METRICS = Object.keys(TARGETS) as readonly Metric[];

interface Tried {
  readonly bytes: number;
  readonly scores: Readonly<Record<Metric, number>>;
}

/** `npm run bench -- iqa fit [pictures] [formats]`: image_fit against trying all 100 qualities, on photographs. */
export async function benchFit([count = '10', formats = FIT_FORMATS.join()]: readonly string[]): Promise<void> {
  const engine = onnxEngine({ log: recordingLog() });
  const rows = [];
  try {
    for (const picture of await quarters(engine, Number(count)))
      for (const format of FIT_FORMATS.filter((each) => formats.split(',').includes(each))) {
        const curve = await wholeCurve(engine, picture, format);
        for (const metric of METRICS) rows.push({ picture: picture.name, format, ...(await compare(curve, metric)) });
      }
  } finally {
    await engine.close();
  }
  printTable(rows.map((row) => ({ ...row, over: `${(100 * row.over).toFixed(2)} %` })));
  judge('no search misses the smallest file by more than 1 %', Math.max(...rows.map(({ over }) => over)) <= 0.01);
}

async function compare(curve: readonly Tried[], metric: Metric) {
  const meets = ({ scores }: Tried): boolean => scores[metric] >= TARGETS[metric];
  let tries = 0;
  const found = await searchSmallest(async (quality) => {
    const tried = curve[quality - 1] as Tried;
    tries++;
    return { meets: meets(tried), bytes: tried.bytes };
  });
  const smallest = Math.min(...curve.filter(meets).map(({ bytes }) => bytes));
  const over = found ? found.bytes / smallest - 1 : Number.isFinite(smallest) ? 1 : 0;
  return { metric, tries, bytes: found?.bytes ?? 0, smallest: Number.isFinite(smallest) ? smallest : 0, over };
}

async function wholeCurve(engine: IqaEngine, picture: Picture, format: FitFormat): Promise<readonly Tried[]> {
  const curve: Tried[] = [];
  for (let quality = 1; quality <= 100; quality++) {
    const bytes = await engine.encode(picture.pixels, { format, quality, effort: 4 });
    const copy = await engine.decode(bytes);
    const scores = await Promise.all(
      METRICS.map(async (tool) => [tool, await engine.score({ tool, picture: copy, reference: picture })]),
    );
    engine.release(copy);
    curve.push({ bytes: bytes.length, scores: Object.fromEntries(scores) as Tried['scores'] });
  }
  return curve;
}

/** Quarters of the shipped photographs, each as a separate picture. */
async function quarters(engine: IqaEngine, count: number): Promise<readonly Picture[]> {
  const folder = new URL('../../metadata/photographs/', import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('.webp'));
  const whole = await Promise.all(files.map((name) => engine.decode(readFileSync(new URL(name, folder)), name)));
  const all = [0, 1, 2, 3].flatMap((corner) =>
    whole.map((picture) => ({
      ...picture,
      name: `${picture.name} ${corner}`,
      pixels: quarterOf(picture.pixels, corner),
    })),
  );
  return all.slice(0, count);
}

function quarterOf({ width, height, data }: Pixels, corner: number): Pixels {
  const [wide, high] = [width >> 1, height >> 1];
  const [left, top] = [corner % 2 === 0 ? 0 : wide, corner < 2 ? 0 : high];
  const quarter = new Uint8Array(wide * high * 3);
  for (let y = 0; y < high; y++) {
    const from = ((top + y) * width + left) * 3;
    quarter.set(data.subarray(from, from + wide * 3), y * wide * 3);
  }
  return { width: wide, height: high, data: quarter };
}
