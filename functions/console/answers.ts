/** The API's response types. They are types only, so the page contains no server code. */

import type { Hono } from 'hono';
import type { ScoreEntry } from '../../shared/iqa/score.ts';
import type { JsonObject } from '../../shared/kernel/json.ts';
import type { AppType } from '../api/client-type.ts';

export type { Step } from '../../shared/decide/decision.ts';
export type { MonthUsage } from '../../shared/execute/billing/usage.ts';
export type { CallSummary, CallTotals, SummarySpan } from '../../shared/execute/summarise-calls.ts';
export type { ListKind } from '../../shared/insight/lists.ts';
export type { StatsView as Stats } from '../../shared/insight/stats-view.ts';

export type { JsonObject, JsonSchema } from '../../shared/kernel/json.ts';
export type { CallStatus, Outcome } from '../../shared/model/call.ts';
export type { CallRecord as Execution } from '../../shared/model/call-record.ts';
export type { KeyView, NewKey, Scope } from '../../shared/model/key.ts';
export type { PlanTree } from '../../shared/model/plan.ts';
export type { Registration } from '../../shared/model/registration.ts';
export type { NodeStatus, NodeView, RunView } from '../../shared/model/run.ts';

type Api = AppType extends Hono<infer _Env, infer Calls, infer _Base> ? Calls : never;

export type Definition = Api['/v1/tools']['$post']['input']['json'];
export type ToolCheck = Api['/v1/definitions/check']['$post']['output'];
export type ToolChange = Api['/v1/tools/:name']['$patch']['input']['json'];
export type Version = Api['/v1/tools/:name/versions']['$get']['output']['versions'][number];
export type RunFilter = 'running' | 'waiting' | 'ok' | 'failed' | 'cancelled';
export type Grant = Api['/v1/grants']['$get']['output']['grants'][number];
export type Decision = Api['/v1/decide']['$post']['output'];
export type IqaTool = Api['/v1/iqa/tools']['$get']['output']['tools'][number];
export type Plan = Api['/v1/plans/:id']['$get']['output'];
export type PlanRequest = Api['/v1/plans']['$post']['input']['json'];
type Planned = Api['/v1/plans']['$post']['output'];
/** A task with its steps; a plan given as nodes has none. */
export type PlannedTask = Extract<Planned, { readonly steps: readonly unknown[] }>;
export type NewSource = Api['/v1/sources']['$post']['input']['json'];
export type Source = Api['/v1/sources']['$get']['output']['sources'][number];
export type Score = ScoreEntry;
export type Scores = Api['/v1/score']['$post']['output'];
/** A line of a streamed response to `POST /v1/score`; the last line is the report. */
export type ScoreLine = { readonly score: Score } | Scores;

export type Trace = Api['/v1/calls/:id/trace']['$get']['output'];
export type Span = Trace['spans'][number];
export type ModelResult = Api['/v1/providers/:provider/results']['$post']['input']['json']['results'][number];
export type Model = Api['/v1/iqa/models']['$get']['output']['models'][number];
export type Tenant = Api['/v1/tenants']['$get']['output']['tenants'][number];

/** A call in a model's response. */
export interface ModelCall {
  readonly id: string | number;
  readonly name: string;
  readonly arguments?: JsonObject;
  /** Why the call must not run. */
  readonly error?: string | { readonly message: string };
}

/** The response with `explain=true`, which contains a provider's tools value. */
export interface ExplainedDefinitions {
  readonly tools: unknown;
  readonly warnings: readonly { readonly path?: string; readonly message: string }[];
  readonly tokens: number;
  readonly left_out?: readonly { readonly tool: string; readonly reason: string }[];
  readonly strictness?: { readonly strict: number; readonly plain: number; readonly left_out: number };
}
