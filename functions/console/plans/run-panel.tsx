import type { NodeView, RunView } from '../answers.ts';
import { useClient } from '../context.ts';
import { showJson, showMs, showTime } from '../format.ts';
import { Notice } from '../ui/notice.tsx';
import { Badge, Button, Code } from '../ui/parts.tsx';
import { useAction } from '../use-load.ts';
import { tellAnswered } from '../use-waiting.ts';
import { RUN_WORDS, StatusBadge } from './status.tsx';

interface Props {
  readonly run: RunView;
  onRun(run: RunView): void;
  onRetry(node: string): void;
}

/** The current state of a run: each node's duration and result, and open questions. */
export const RunPanel = ({ run, onRun, onRetry }: Props) => {
  const client = useClient();
  const answer = useAction(async (node: string, approve: boolean) => {
    onRun(await client.confirmNode(run.run_id, node, approve));
    tellAnswered();
  });
  const cancel = useAction(async () => onRun(await client.cancelRun(run.run_id)));
  const [tone, word] = RUN_WORDS[run.status];
  const span = spanOf(run);
  return (
    <section class="card" aria-labelledby="run">
      <div class="row between">
        <div class="row">
          <h2 id="run">Run</h2>
          <span aria-live="polite">
            <Badge tone={tone}>{word}</Badge>
          </span>
          <span class="small muted">{showTime(run.started_at)}</span>
          {run.duration_ms !== undefined && <span class="small muted">{showMs(run.duration_ms)}</span>}
        </div>
        {run.status === 'running' && (
          <Button kind="danger" isBusy={cancel.isBusy} onClick={() => void cancel.run()}>
            Cancel the run
          </Button>
        )}
      </div>
      {run.error && (
        <div class="notice" role="alert">
          <p class="notice-title">{run.error.type}</p>
          <p>{run.error.message}</p>
        </div>
      )}
      <Notice fault={answer.fault ?? cancel.fault} />
      <ul class="run-nodes">
        {run.nodes.map((node) => (
          <RunNode
            key={node.id}
            node={node}
            span={span}
            isBusy={answer.isBusy}
            onAnswer={(approve) => void answer.run(node.id, approve)}
            onRetry={run.status === 'running' ? undefined : () => onRetry(node.id)}
          />
        ))}
      </ul>
      {run.output && (
        <>
          <h3>Result</h3>
          <Code text={showJson(run.output)} label="Result of the run" />
        </>
      )}
    </section>
  );
};

interface Span {
  readonly from: number;
  readonly length: number;
}

/** From the start to the latest event. */
const spanOf = ({ started_at, ended_at, nodes }: RunView): Span => {
  const from = Date.parse(started_at);
  const times = [ended_at, ...nodes.flatMap((node) => [node.started_at, node.ended_at])];
  const last = Math.max(from + 1, ...times.flatMap((time) => (time === undefined ? [] : [Date.parse(time)])));
  return { from, length: last - from };
};

interface NodeProps {
  readonly node: NodeView;
  readonly span: Span;
  readonly isBusy: boolean;
  onAnswer(approve: boolean): void;
  /** Undefined while it runs. */
  readonly onRetry: (() => void) | undefined;
}

const RunNode = ({ node, span, isBusy, onAnswer, onRetry }: NodeProps) => {
  const error = node.attempts.at(-1)?.error;
  return (
    <li class="run-node">
      <div class="run-node-head">
        <code>{node.id}</code>
        <StatusBadge status={node.status} />
        {node.attempts.length > 1 && <span class="tiny muted">{node.attempts.length} attempts</span>}
      </div>
      <Timeline node={node} span={span} />
      {node.status === 'waiting_approval' && (
        <div key="question" class="group">
          <p class="small muted">{node.tool} asks before it runs, with</p>
          <Code text={showJson(node.approval?.arguments ?? {})} label={`Arguments of ${node.id}`} />
          <div class="row">
            <Button kind="primary" disabled={isBusy} label={`Approve ${node.id}`} onClick={() => onAnswer(true)}>
              Approve
            </Button>
            <Button kind="danger" disabled={isBusy} label={`Deny ${node.id}`} onClick={() => onAnswer(false)}>
              Deny
            </Button>
          </div>
        </div>
      )}
      {onRetry && node.status !== 'ok' && node.status !== 'skipped' && (
        <div key="retry" class="row">
          <Button label={`Retry from ${node.id}`} onClick={onRetry}>
            Retry from {node.id}
          </Button>
          <span class="small muted">What is done before it is not run again.</span>
        </div>
      )}
      {error && <p class="small danger-text">{error.message}</p>}
      {node.reason !== undefined && <p class="small muted">{node.reason}</p>}
      {node.result !== undefined && (
        <details class="small">
          <summary>Result of {node.id}</summary>
          <Code text={showJson(node.result)} label={`Result of ${node.id}`} />
        </details>
      )}
    </li>
  );
};

const Timeline = ({ node, span }: Pick<NodeProps, 'node' | 'span'>) => {
  if (node.started_at === undefined) return <span class="timeline" />;
  const from = Date.parse(node.started_at) - span.from;
  const time = node.ended_at === undefined ? span.length - from : Date.parse(node.ended_at) - span.from - from;
  return (
    <span class="timeline">
      <span
        class="timeline-bar"
        style={{ left: `${(from / span.length) * 97}%`, width: `max(4px, ${(time / span.length) * 97}%)` }}
      />
      <span class="sr-only">took {showMs(time)}</span>
    </span>
  );
};
