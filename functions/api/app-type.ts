import type { Hono } from 'hono';
import type { BlankEnv } from 'hono/types';
import type * as z from 'zod';
import type { Decision } from '../../shared/decide/decision.ts';
import type { Usage } from '../../shared/execute/billing/usage.ts';
import type { Confirmation } from '../../shared/execute/confirmations.ts';
import type { ListEntry, ListKind } from '../../shared/insight/lists.ts';
import type { Recommendation } from '../../shared/insight/recommend.ts';
import type { StatsView } from '../../shared/insight/stats-view.ts';
import type { IqaTool } from '../../shared/iqa/metadata.ts';
import type { ScoreEntry, ScoreReport } from '../../shared/iqa/score.ts';
import type { CallStatus, Outcome } from '../../shared/model/call.ts';
import type { CallRecord } from '../../shared/model/call-record.ts';
import type { KeyView, NewKey } from '../../shared/model/key.ts';
import type { Plan, PlanTree } from '../../shared/model/plan.ts';
import type { Registration } from '../../shared/model/registration.ts';
import type { Predicted, RunView } from '../../shared/model/run.ts';
import type { DraftNode, PlannedTask } from '../../shared/plan/task/plan-task.ts';
import type { SignedPut } from '../../shared/uploads/request-upload.ts';
import type { NewUpload } from '../../shared/uploads/upload.ts';

/**
 * The API as Hono's client sees it: what each call takes and answers, in the server's own types. Routes are plain Hono
 * for their speed and carry no types of their own; a test holds this against the OpenAPI document.
 */
export type AppType = Hono<BlankEnv, Calls, '/'>;

type Call<Input, Output, Format extends string = 'json'> = {
  input: Input;
  output: Output;
  outputFormat: Format;
  status: 200;
};

type Query<Name extends string> = { query?: { [Each in Name]?: string | undefined } };
type Param<Name extends string> = { param: { [Each in Name]: string } };
type Page = 'limit' | 'cursor';
type Next = { readonly next_cursor?: string };

type Calls = {
  '/v1/tools': {
    $get: Call<
      Query<Page | 'q' | 'tags' | 'category' | 'type' | 'distortion'>,
      { readonly tools: readonly Registration[] } & Next
    >;
  };
  '/v1/tools/:name': { $get: Call<Param<'name'>, Registration> };
  '/v1/tools/:name/stats': { $get: Call<Param<'name'>, StatsView> };
  '/v1/tools/:name/invoke': {
    $post: Call<Param<'name'> & { json: { arguments: object; confirmation?: string | undefined } }, Outcome>;
  };
  '/v1/providers': { $get: Call<object, { readonly providers: readonly string[] }> };
  '/v1/providers/:provider/tools': {
    $get: Call<Param<'provider'> & Query<'allowed' | 'explain'>, ExplainedDefinitions>;
  };
  '/v1/score': { $post: Call<PicturesSent, PricedReport> };
  '/v1/score/map': { $post: Call<PicturesSent & Query<'tool'>, string, 'body'> };
  '/v1/uploads': { $post: Call<{ json: NewUpload }, SignedPut & { readonly key: string }> };
  '/v1/iqa/tools': { $get: Call<object, { readonly tools: readonly IqaToolView[] }> };
  '/v1/confirmations': {
    $get: Call<object, { readonly confirmations: readonly Confirmation[] } & Next>;
    $post: Call<{ json: { id: string; approve: boolean } }, Confirmation>;
  };
  '/v1/decide': { $post: Call<{ json: { task: string; candidates?: readonly string[] | undefined } }, PricedDecision> };
  '/v1/plans': { $post: Call<{ json: unknown }, PlanAnswer | TaskAnswer | (PlanAnswer & TaskAnswer)> };
  '/v1/plans/:id': { $get: Call<Param<'id'>, PlanAnswer> };
  '/v1/plans/:id/runs': { $post: Call<Param<'id'> & { json: { input?: unknown } }, RunView> };
  '/v1/runs/:id': { $get: Call<Param<'id'>, RunView>; $delete: Call<Param<'id'>, RunView> };
  '/v1/runs/:id/nodes/:node/confirm': {
    $post: Call<Param<'id' | 'node'> & { json: { approve: boolean } }, RunView>;
  };
  '/v1/executions': {
    $get: Call<
      { query: { [Each in Page | 'tool' | 'key']?: string | undefined } & { status?: CallStatus | undefined } },
      { readonly executions: readonly CallRecord[] } & Next
    >;
  };
  '/v1/recommendations': {
    $get: Call<Query<'task' | 'limit'>, { readonly recommendations: readonly Recommendation[] }>;
  };
  '/v1/lists/:kind': { $get: Call<{ param: { kind: ListKind } }, { readonly entries: readonly ListEntry[] }> };
  '/v1/lists/:kind/:name': {
    $put: Call<Listed & { json: { reason?: string | undefined } }, ListEntry>;
    $delete: Call<Listed, null, 'body'>;
  };
  '/v1/keys': {
    $get: Call<Query<Page>, { readonly keys: readonly KeyView[] } & Next>;
    $post: Call<{ json: z.input<typeof NewKey> }, KeyView & { readonly key: string }>;
  };
  '/v1/keys/:id': { $delete: Call<Param<'id'>, null, 'body'> };
  '/v1/usage': { $get: Call<Query<'month'>, Usage> };
};

type Listed = { param: { kind: ListKind; name: string } };

/** Pictures as the files of a form, or by their keys in the image store. */
export type PicturesSent = {
  form?: { image: File; reference?: File | undefined; tools?: string | undefined };
  json?: {
    image: { key: string };
    reference?: { key: string } | undefined;
    tools?: readonly string[] | undefined;
  };
};

export type PricedReport = ScoreReport & { readonly charged_micros: number };

/** A line of the answer to `POST /v1/score` that was asked for in lines; the last is the report. */
export type ScoreLine = { readonly score: ScoreEntry } | PricedReport;

export type IqaToolView = IqaTool & { readonly available: boolean };

export type PricedDecision = Decision & { readonly charged_micros: number };

export type PlanAnswer = Omit<Plan, 'v'> & { readonly tree: PlanTree; readonly predicted: Predicted };

/** A task that became a plan, or the questions that stand in its way. */
export type TaskAnswer = Omit<PlannedTask, 'plan'> & { readonly nodes: readonly DraftNode[] };

export interface ExplainedDefinitions {
  readonly tools: unknown;
  readonly warnings: readonly { readonly path?: string; readonly message: string }[];
  readonly tokens: number;
}
