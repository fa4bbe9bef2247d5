/** The file that one quality gives: whether it meets the target, and its size. */
export interface QualityPoint {
  readonly meets: boolean;
  readonly bytes: number;
}

const [LOWEST, HIGHEST] = [1, 100];
/** How many failures in a row end the search below: scores are not quite monotone, so a lower quality may still meet. */
const PATIENCE = 6;
/** How many qualities above are tried: a slightly higher one sometimes gives a smaller file. */
const ABOVE = 2;

/** About how many qualities a search tries: both ends, the bisection, and the neighbours. */
export const TRIES = 2 + Math.ceil(Math.log2(HIGHEST - LOWEST)) + PATIENCE + ABOVE;

/**
 * The smallest file that meets the target, for a curve that is monotone but for small dips: bisection, then the
 * neighbours below until six in a row fail, and two above. Undefined when the highest quality fails.
 */
export const searchSmallest = async <Point extends QualityPoint>(
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

/** A quality that meets the target while the next lower one fails. */
const bisect = async (at: (quality: number) => Promise<QualityPoint>): Promise<number> => {
  let [fails, meets] = [LOWEST, HIGHEST];
  while (meets - fails > 1) {
    const middle = (fails + meets) >> 1;
    if ((await at(middle)).meets) meets = middle;
    else fails = middle;
  }
  return meets;
};
