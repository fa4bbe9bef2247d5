import type { IqaTool, Score } from '../answers.ts';
import { plural, showMoney, showMs, showRaw } from '../format.ts';
import { Badge } from '../ui/parts.tsx';
import { Bar } from './bar.tsx';
import type { Scored } from './score-page.tsx';
import { Viewer } from './viewer.tsx';

interface Props {
  readonly scored: Scored;
  readonly metrics: readonly IqaTool[];
  readonly isStale: boolean;
}

export const Results = ({ scored, metrics, isStale }: Props) => {
  const { scores, overall, image, charged_micros } = scored.scores;
  return (
    <section class={isStale ? 'results stale' : 'results'} aria-label="Scores" aria-live="polite">
      <Viewer picture={scored.picture} reference={scored.reference} image={image} />
      <div class="card verdict">
        {overall && (
          <div class="overall">
            <p class="overall-number">
              {overall.mean.toFixed(2)}
              <span class="muted"> of 5</span>
            </p>
            <p>
              <strong>{wordFor(overall.mean)}</strong>
              <span class="muted small"> · metrics differ by {overall.spread.toFixed(2)}</span>
            </p>
          </div>
        )}
        <p class="scale tiny muted" aria-hidden="true">
          <span>1 bad</span>
          <span>2</span>
          <span>3</span>
          <span>4</span>
          <span>5 excellent</span>
        </p>
        <ol class="metrics">
          {scores.map((score) => (
            <Metric key={score.tool} score={score} metric={metrics.find(({ name }) => name === score.tool)} />
          ))}
        </ol>
        <p class="muted small">
          {plural(scores.length, 'metric')} · charged {showMoney(charged_micros)}
        </p>
      </div>
    </section>
  );
};

/** The five words of the usual scale of opinion (ITU-T P.800). */
const wordFor = (score: number): string =>
  ['Bad', 'Poor', 'Fair', 'Good', 'Excellent'][Math.min(4, Math.max(0, Math.round(score) - 1))] ?? '';

interface MetricProps {
  readonly score: Score;
  readonly metric: IqaTool | undefined;
}

const Metric = ({ score, metric }: MetricProps) => (
  <li class="metric">
    <div class="row between">
      <a class="metric-name" href={`#/tools/${score.tool}`}>
        {score.tool}
      </a>
      {score.normalized !== undefined && <span class="metric-score">{score.normalized.toFixed(2)}</span>}
    </div>
    {score.error ? (
      <p class="small danger-text">{score.error.message}</p>
    ) : (
      <Bar value={score.normalized} label={`${score.tool} on the scale from 1 to 5`} />
    )}
    <p class="small muted">
      {metric && (
        <span>
          {metric.title}: {metric.description}.{' '}
        </span>
      )}
    </p>
    <p class="small facts">
      {score.raw !== undefined && (
        <span>
          raw <strong>{showRaw(score.raw)}</strong>
        </span>
      )}
      {metric && <span>{metric.lower_better ? 'lower raw is better' : 'higher raw is better'}</span>}
      {!score.error && <span>{showMs(score.duration_ms)}</span>}
      {score.cached && <Badge>cached</Badge>}
    </p>
    {score.warnings.map((warning) => (
      <p key={warning} class="small warn-text">
        {warning}
      </p>
    ))}
  </li>
);
