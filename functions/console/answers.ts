/** What the API answers, in the server's own words; types alone, so the page carries nothing of it. */

export type { Step } from '../../shared/decide/decision.ts';
export type { Usage } from '../../shared/execute/billing/usage.ts';
export type { ListKind } from '../../shared/insight/lists.ts';
export type { StatsView as Stats } from '../../shared/insight/stats-view.ts';
export type { ScoreEntry as Score } from '../../shared/iqa/score.ts';
export type { JsonObject, JsonSchema } from '../../shared/kernel/json.ts';
export type { CallStatus, Outcome } from '../../shared/model/call.ts';
export type { CallRecord as Execution } from '../../shared/model/call-record.ts';
export type { KeyView, NewKey, Scope } from '../../shared/model/key.ts';
export type { PlanTree } from '../../shared/model/plan.ts';
export type { Registration } from '../../shared/model/registration.ts';
export type { NodeStatus, NodeView, RunView } from '../../shared/model/run.ts';
export type {
  IqaToolView as IqaTool,
  PlanAnswer as Plan,
  PricedDecision as Decision,
  PricedReport as Scores,
  TaskAnswer as PlannedTask,
} from '../api/app-type.ts';
