import { plural } from '../format.ts';

const BINS = 16;
const [WIDTH, HEIGHT] = [480, 64];

/** The number of pictures by score, from 1 to 5. */
export const Histogram = ({ values }: { readonly values: readonly number[] }) => {
  if (values.length < 2) return null;
  const bins = Array.from({ length: BINS }, () => 0);
  for (const value of values) {
    const bin = Math.min(BINS - 1, Math.max(0, Math.floor(((value - 1) / 4) * BINS)));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  const most = Math.max(...bins);
  const wide = WIDTH / BINS;
  const [lowest, highest] = [Math.min(...values).toFixed(2), Math.max(...values).toFixed(2)];
  return (
    <figure class="chart histogram">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${plural(values.length, 'picture')}: scores from ${lowest} to ${highest}`}
      >
        {bins.map((count, index) => (
          <rect
            key={index}
            class="bar-accent"
            x={index * wide + 1}
            y={HEIGHT - (count / most) * HEIGHT}
            width={wide - 2}
            height={(count / most) * HEIGHT}
          />
        ))}
      </svg>
      <figcaption class="row between tiny muted">
        <span>1 bad</span>
        <span>
          {plural(values.length, 'picture')}, {lowest} to {highest}
        </span>
        <span>5 excellent</span>
      </figcaption>
    </figure>
  );
};
