import { useRef } from 'hono/jsx/dom';
import type { NodeView, Plan, PlanTree, RunView } from '../answers.ts';
import { useClient } from '../context.ts';
import { ApiFault } from '../fault.ts';
import { plural, showMs } from '../format.ts';
import { Tile } from '../tools/tool-page.tsx';
import { Notice } from '../ui/notice.tsx';
import { Button, Field, Scroll } from '../ui/parts.tsx';
import { useEffect } from '../use-effect.ts';
import { useKept } from '../use-kept.ts';
import { useAction } from '../use-load.ts';
import { useState } from '../use-state.ts';
import { Dag } from './dag.tsx';
import { retryPlan } from './retry-plan.ts';
import { RunPanel } from './run-panel.tsx';
import { TreeView } from './tree-view.tsx';

/** How often a running run is polled. */
const LOOK_MS = 350;

export type NodesById = ReadonlyMap<string, NodeView>;

interface Props {
  readonly plan: Plan;
  /** The run to watch, if there is one. */
  readonly runId: string | undefined;
  onStarted(id: string): void;
  /** A part of the plan is run again, as a plan of its own. */
  onRetried(plan: Plan, run: string): void;
  /** The states of the run's nodes in short, when one has changed. */
  onStanding(standing: string): void;
}

/** A plan as DAG and as tree, and its run. */
export const PlanView = ({ plan, runId, onStarted, onRetried, onStanding }: Props) => {
  const client = useClient();
  const [input, setInput] = useKept(`plan.input.${plan.plan_id}`, '');
  const [run, setRun] = useState<RunView | undefined>(undefined);
  // Outdated responses are dropped, so that a late one about an earlier run does not replace the next.
  const latest = useRef(0);
  const turn = (): number => {
    latest.current = (latest.current ?? 0) + 1;
    return latest.current;
  };
  const start = useAction(async () => {
    const started = await client.startRun(plan.plan_id, parseInput(input));
    turn();
    setRun(started);
    onStarted(started.run_id);
  });
  const retry = useAction(async (from: string) => {
    if (!run) return;
    const made = await client.makePlan(retryPlan(plan, run, from));
    if (!('plan_id' in made)) return;
    const started = await client.startRun(made.plan_id, parseInput(input));
    onRetried(made, started.run_id);
  });
  const watch = useAction(async (id: string) => {
    const mine = turn();
    const seen = await client.run(id);
    if (latest.current === mine) setRun(seen);
  });
  const answered = (next: RunView): void => {
    setRun((shown) => {
      if (shown?.run_id !== next.run_id) return shown;
      turn();
      return next;
    });
  };
  useEffect(() => {
    if (runId !== undefined && runId !== run?.run_id) void watch.run(runId);
  }, [runId]);
  useEffect(() => {
    if (run?.status !== 'running') return undefined;
    const timer = setTimeout(() => void watch.run(run.run_id), LOOK_MS);
    return () => clearTimeout(timer);
  }, [run, watch.fault]);
  const standing = run ? `${run.status} ${run.nodes.map(({ status }) => status).join(' ')}` : '';
  useEffect(() => {
    onStanding(standing);
  }, [standing]);
  const nodes: NodesById = new Map(run?.nodes.map((node) => [node.id, node]));
  const { critical_path_ms, makespan_ms, ratio } = plan.predicted;
  return (
    <div class="group">
      <section class="card" aria-label="The plan">
        <div class="row between">
          <h2>{plan.name ?? 'The plan'}</h2>
          <Button
            kind="primary"
            isBusy={start.isBusy}
            disabled={run?.status === 'running'}
            onClick={() => void start.run()}
          >
            {run ? 'Run again' : 'Run the plan'}
          </Button>
        </div>
        {plan.input_schema && (
          <Field label="Input of the run, as JSON">
            <textarea
              class="mono"
              rows={3}
              value={input}
              onInput={(event: Event) => setInput((event.target as HTMLTextAreaElement).value)}
            />
          </Field>
        )}
        <Notice fault={start.fault} />
        <dl class="tiles">
          <Tile name="Nodes" value={String(plan.nodes.length)} />
          <Tile name="Critical path" value={showMs(critical_path_ms)} />
          <Tile name="Expected time" value={showMs(makespan_ms)} />
          <Tile name="Of the critical path" value={`${ratio.toFixed(2)}×`} />
        </dl>
        <h3>As planned</h3>
        <Dag plan={plan} nodes={nodes} />
        <h3>As it runs</h3>
        <p class="small muted">
          {plural(plan.nodes.length, 'node')} as a tree of series and branches; branches side by side run at once.
        </p>
        <Scroll label="The plan as it runs">
          <TreeView tree={plan.tree as PlanTree} nodes={nodes} />
        </Scroll>
      </section>
      <Notice fault={watch.fault} onRetry={() => runId !== undefined && void watch.run(runId)} />
      <Notice fault={retry.fault} />
      {run && <RunPanel run={run} onRun={answered} onRetry={(node) => void retry.run(node)} />}
    </div>
  );
};

const parseInput = (text: string): unknown => {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiFault('InvalidInput', `the input is not JSON: ${(cause as Error).message}`);
  }
};
