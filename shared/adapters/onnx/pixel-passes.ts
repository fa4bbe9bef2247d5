import type { PixelMetric, ScoreRequest } from '../../iqa/engine.ts';
import type { Pixels } from '../../iqa/pixels.ts';
import { addParts, divideRows } from '../../iqa/strips.ts';
import type { WorkerPool } from './pool.ts';

/** Scores a picture by a metric over bytes. */
export type PixelPasses = (request: ScoreRequest, metric: PixelMetric, parts: number) => Promise<number>;

interface Pass {
  readonly pixels: Pixels;
  readonly signal: AbortSignal | undefined;
  readonly metrics: PixelMetric[];
  readonly sums: Promise<ReadonlyMap<string, Float64Array>>;
}

/** What is asked of one picture in one turn of the event loop is computed in one pass over it. */
export const createPixelPasses = (pool: WorkerPool): PixelPasses => {
  const open: Pass[] = [];

  const begin = ({ picture, signal }: ScoreRequest, parts: number): Pass => {
    const metrics: PixelMetric[] = [];
    const turn = new Promise<void>((resolve) => {
      setImmediate(() => {
        open.splice(open.indexOf(pass), 1);
        resolve();
      });
    });
    const run = async (): Promise<ReadonlyMap<string, Float64Array>> => {
      await turn;
      const names = metrics.map(({ name }) => name);
      const job = { what: `${names.join(', ')} on ${picture.name}`, signal };
      const unit = Math.max(...metrics.map(({ rowUnit }) => rowUnit));
      const ranges = divideRows(picture.pixels.height, parts, unit);
      const ask = { tools: names, picture: picture.pixels };
      const sums = await Promise.all(ranges.map((rows) => pool.run('pass', { ...ask, rows }, job)));
      return new Map(names.map((name, at) => [name, addParts(sums.map((part) => part[at] as Float64Array))]));
    };
    const pass = { pixels: picture.pixels, signal, metrics, sums: run() };
    open.push(pass);
    return pass;
  };

  return async (request, metric, parts) => {
    const { picture, signal } = request;
    const pass = open.find((each) => each.pixels === picture.pixels && each.signal === signal) ?? begin(request, parts);
    if (!pass.metrics.includes(metric)) pass.metrics.push(metric);
    const sums = await pass.sums;
    return metric.finish(sums.get(metric.name) as Float64Array, picture.pixels);
  };
};
