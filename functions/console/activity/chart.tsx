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

/** A bar chart over time; a bar under the pointer shows its time and value. */
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
        <span class="row tiny muted">
          {series.length > 1 &&
            series.map(([name, , tone]) => (
              <span key={name} class="legend">
                <span class={`legend-mark bar-${tone}`} aria-hidden="true" />
                {name}
              </span>
            ))}
          <span>highest {highest}</span>
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: highest ${highest}`}
      >
        {steps.map((step, index) => (
          <Bar
            key={step.at}
            x={index * wide}
            width={wide}
            step={step}
            series={series}
            scale={HEIGHT / most}
            title={`${showStep(step.at, span)}: ${show(sumOf(step))}`}
          />
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
  readonly title: string;
}

const Bar = ({ x, width, step, series, scale, title }: BarProps) => {
  let top = HEIGHT;
  const parts = series.flatMap(([name, value, tone]) => {
    const height = value(step) * scale;
    top -= height;
    return height <= 0 ? [] : [{ name, tone, top, height: Math.max(height, 1.5) }];
  });
  return (
    <g>
      <title>{title}</title>
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

const STEP_FORMATS: Readonly<Record<SummarySpan, Intl.DateTimeFormatOptions>> = {
  hour: { hour: '2-digit', minute: '2-digit' },
  day: { weekday: 'short', hour: '2-digit', minute: '2-digit' },
  month: { day: 'numeric', month: 'short' },
};

const showStep = (at: string, span: SummarySpan): string => new Date(at).toLocaleString('en-GB', STEP_FORMATS[span]);
