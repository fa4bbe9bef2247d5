/** What came of one quality. */
export interface Tried {
  readonly meets: boolean;
  readonly bytes: number;
}

const [LOWEST, HIGHEST] = [1, 100];
/** Encoders round: scores dip and rise again over a few qualities, so that lower ones may meet where a higher one fails. */
const PATIENCE = 6;
/** A little more quality is now and then a smaller file. */
const ABOVE = 2;

/** About how many qualities a search tries: both ends, halving, and the neighbours. */
export const TRIES = 2 + Math.ceil(Math.log2(HIGHEST - LOWEST)) + PATIENCE + ABOVE;

/**
 * The smallest file over all qualities that meets, as far as the curve is monotone but for dips: bisection, then the
 * neighbours below until six in a row fail, and two above. Undefined when the highest quality fails.
 */
export const searchSmallest = async <Point extends Tried>(
  attempt: (quality: number) => Promise<Point>,
): Promise<Point | undefined> => {
  const known = new Map<number, Point>();
  const at = async (quality: number): Promise<Point> => {
    const point = known.get(quality) ?? (await attempt(quality));
    known.set(quality, point);
    return point;
  };
  if (!(await at(HIGHEST)).meets) return undefined;
  const boundary = (await at(LOWEST)).meets ? LOWEST : await bisect(at);
  for (let quality = boundary - 1, failed = 0; quality > LOWEST && failed < PATIENCE; quality--)
    failed = (await at(quality)).meets ? 0 : failed + 1;
  for (let quality = boundary + 1; quality <= Math.min(HIGHEST, boundary + ABOVE); quality++) await at(quality);
  return [...known.values()]
    .filter(({ meets }) => meets)
    .reduce((best, point) => (point.bytes < best.bytes ? point : best));
};

/** A quality that meets, of which the next lower fails. */
const bisect = async (at: (quality: number) => Promise<Tried>): Promise<number> => {
  let [fails, meets] = [LOWEST, HIGHEST];
  while (meets - fails > 1) {
    const middle = (fails + meets) >> 1;
    if ((await at(middle)).meets) meets = middle;
    else fails = middle;
  }
  return meets;
};
