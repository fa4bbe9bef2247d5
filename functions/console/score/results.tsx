import type { IqaTool, Score, Scores } from '../answers.ts';
import { plural, showMoney, showMs, showRaw } from '../format.ts';
import { Badge } from '../ui/parts.tsx';
import { Bar } from './bar.tsx';
import type { ScoredPicture } from './score-page.tsx';
import { Viewer } from './viewer.tsx';

interface Props {
  readonly scored: ScoredPicture;
  readonly metrics: readonly IqaTool[];
}

/** Scores as they arrive, with placeholders for the others. */
export const Results = ({ scored, metrics }: Props) => {
  const { picture, reference, scores, expected, report } = scored;
  const awaited = report ? 0 : Math.max(1, expected - scores.length);
  return (
    <section class="results" aria-label="Scores" aria-busy={report ? 'false' : 'true'}>
      <Viewer picture={picture} reference={reference} image={report?.image} />
      <div class="card verdict">
        <Overall report={report} />
        <p class="scale tiny muted" aria-hidden="true">
          <span>1 bad</span>
          <span>2</span>
          <span>3</span>
          <span>4</span>
          <span>5 excellent</span>
        </p>
        <ol class="metrics" aria-live="polite">
          {scores.map((score) => (
            <Metric key={score.tool} score={score} metric={metrics.find(({ name }) => name === score.tool)} />
          ))}
          {Array.from({ length: awaited }, (_, index) => (
            <Awaited key={`awaited ${index}`} />
          ))}
        </ol>
        <p class="muted small">
          {report
            ? `${plural(scores.length, 'metric')} · charged ${showMoney(report.charged_micros)}`
            : `${scores.length} of ${scores.length + awaited} measured`}
        </p>
      </div>
    </section>
  );
};

const Overall = ({ report }: { readonly report: Scores | undefined }) => {
  if (report && !report.overall) return null;
  if (report?.overall?.note !== undefined) return <p class="small muted">{report.overall.note}</p>;
  const { score, low = score, high = score, word } = report?.overall ?? {};
  return (
    <div class="overall" aria-live="polite">
      <p class="overall-number">
        {score?.toFixed(2) ?? <span class="skeleton-row overall-awaited" aria-hidden="true" />}
        <span class="muted"> of 5</span>
      </p>
      {score === undefined ? (
        <p class="muted">Measuring…</p>
      ) : (
        <>
          <p title="The word is ours; the numbers predict mean opinion, fitted to TID2013.">
            <strong>{word}</strong>
            <span class="muted small">
              {' '}
              · 90 % of opinions {low?.toFixed(2)} to {high?.toFixed(2)}
            </span>
          </p>
          <Bar value={score} low={low} high={high} label="Overall on the scale from 1 to 5" />
        </>
      )}
    </div>
  );
};

/** As high as a score, so that nothing moves when it arrives. */
const Awaited = () => (
  <li class="metric awaited" aria-hidden="true">
    <span class="skeleton-row" />
    <span class="skeleton-row" />
    <span class="skeleton-row" />
    <span class="skeleton-row" />
  </li>
);

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
      score.normalized !== undefined && (
        <Bar
          value={score.normalized}
          low={score.low}
          high={score.high}
          label={`${score.tool} on the scale from 1 to 5`}
        />
      )
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
    {score.limits !== undefined && <p class="small muted">{score.limits}</p>}
    {score.warnings.map((warning) => (
      <p key={warning} class="small warn-text">
        {warning}
      </p>
    ))}
  </li>
);
