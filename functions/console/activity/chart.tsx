import type { CallTotals, SummarySpan } from '../answers.ts';

type Step = CallTotals & { readonly at: string };
type Series = readonly [name: string, value: (step: Step) => number, tone: string];

interface Props {
  readonly title: string;
  readonly span: SummarySpan;
  readonly steps: readonly Step[];
  /** Stacked, with the first one at the bottom. */
  readonly series: readonly Series[];
  show(value: number): string;
}

const [WIDTH, HEIGHT] = [480, 120];

/** A bar chart over time; its label has the same values as text. */
export const Chart = ({ title, span, steps, series, show }: Props) => {
  const sumOf = (step: Step): number => series.reduce((sum, [, value]) => sum + value(step), 0);
  const most = Math.max(1e-9, ...steps.map(sumOf));
  const wide = WIDTH / Math.max(1, steps.length);
  const first = steps[0];
  const last = steps.at(-1);
  const highest = show(most < 1e-6 ? 0 : most);
  return (
    <figure class="chart">
      <figcaption class="row between">
        <strong class="small">{title}</strong>
        <span class="tiny muted">highest {highest}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: highest ${highest}`}
      >
        {steps.map((step, index) => (
          <Bar key={step.at} x={index * wide} width={wide} step={step} series={series} scale={HEIGHT / most} />
        ))}
      </svg>
      <div class="row between tiny muted">
        <span>{first && showStep(first.at, span)}</span>
        <span>{last && showStep(last.at, span)}</span>
      </div>
    </figure>
  );
};

interface BarProps {
  readonly x: number;
  readonly width: number;
  readonly step: Step;
  readonly series: readonly Series[];
  readonly scale: number;
}

const Bar = ({ x, width, step, series, scale }: BarProps) => {
  let top = HEIGHT;
  const parts = series.flatMap(([name, value, tone]) => {
    const height = value(step) * scale;
    top -= height;
    return height <= 0 ? [] : [{ name, tone, top, height: Math.max(height, 1.5) }];
  });
  return (
    <g>
      {parts.map(({ name, tone, top: y, height }) => (
        <rect
          key={name}
          class={`bar-${tone}`}
          x={(x + width * 0.1).toFixed(2)}
          y={Math.min(y, HEIGHT - height).toFixed(2)}
          width={(width * 0.8).toFixed(2)}
          height={height.toFixed(2)}
        />
      ))}
    </g>
  );
};

const showStep = (at: string, span: SummarySpan): string =>
  new Date(at).toLocaleString(
    'en-GB',
    span === 'month' ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit' },
  );
