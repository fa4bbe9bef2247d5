import type { Decision as Decided } from '../../shared/decide/decision.ts';
import type { JsonObject, JsonSchema } from '../../shared/model/json.ts';
import type { KeyView } from '../../shared/model/key.ts';
import type { Plan as PlanBody, PlanTree } from '../../shared/model/plan.ts';
import type { Registration, VersionRecord } from '../../shared/model/registration.ts';
import type { Predicted, RunView } from '../../shared/model/run.ts';

/** What the API answers, as far as the console reads it. */

export type { Alternative, Step } from '../../shared/decide/decision.ts';
export type { NodeStatus, NodeView } from '../../shared/model/run.ts';
export type { JsonObject, JsonSchema, KeyView, PlanTree, Registration, RunView };

export interface Score {
  readonly tool: string;
  readonly raw?: number;
  readonly normalized?: number;
  readonly cached: boolean;
  readonly duration_ms: number;
  readonly warnings: readonly string[];
  readonly error?: { readonly code: string; readonly message: string };
}

export interface Scores {
  readonly image: { readonly width: number; readonly height: number; readonly format: string };
  readonly scores: readonly Score[];
  readonly overall: { readonly mean: number; readonly spread: number } | null;
  readonly charged_micros: number;
}

export interface IqaTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly type: 'FR' | 'NR';
  readonly strengths: readonly string[];
  readonly lower_better?: boolean;
  readonly range?: readonly [number | null, number | null];
  readonly available: boolean;
}

export interface Versions {
  readonly versions: readonly VersionRecord[];
  readonly default_version: string;
}

export interface Stats {
  readonly calls: number;
  readonly successes: number;
  readonly failures: number;
  readonly refused: number;
  readonly cached: number;
  readonly success_rate: number | null;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

export interface Explained {
  readonly tools: unknown;
  readonly warnings: readonly { readonly path?: string; readonly message: string }[];
  readonly tokens: number;
}

export interface Outcome {
  readonly call_id: string;
  readonly tool: string;
  readonly status: 'ok' | 'failed';
  readonly output?: unknown;
  readonly error?: { readonly type: string; readonly message: string };
  readonly duration_ms: number;
  readonly cached: boolean;
  readonly charged_micros: number;
}

export type Decision = Decided & { readonly charged_micros: number };

export type Plan = PlanBody & { readonly tree: PlanTree; readonly predicted: Predicted };

/** A task that became a plan, or the questions that stand in its way. */
export interface PlannedTask {
  readonly steps: readonly {
    readonly id: string;
    readonly text: string;
    readonly tool: string;
    readonly confidence: number;
  }[];
  readonly missing: readonly { readonly node: string; readonly parameter: string; readonly question: string }[];
  readonly ready: boolean;
  readonly nodes: readonly JsonObject[];
}

export interface Execution {
  readonly call_id: string;
  readonly tool: string;
  readonly version: string;
  readonly status: string;
  readonly arguments: unknown;
  readonly output?: unknown;
  readonly error?: { readonly type: string; readonly message: string; readonly stack?: string };
  readonly duration_ms: number;
  readonly cached: boolean;
  readonly charged_micros: number;
  readonly key: string;
  readonly at: string;
}

export interface Recommendation {
  readonly tool: string;
  readonly version: string;
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
  readonly whitelisted: boolean;
  readonly trial: boolean;
  readonly why: readonly string[];
}

export interface ListEntry {
  readonly name: string;
  readonly source: 'manual' | 'automatic';
  readonly at: string;
  readonly reason?: string;
}

export interface Spent {
  readonly calls: number;
  readonly micros: number;
}

export interface Usage extends Spent {
  readonly month: string;
  readonly keys: readonly (Spent & {
    readonly key_id: string;
    readonly tools: readonly (Spent & { readonly tool: string })[];
  })[];
}

export interface Confirmation {
  readonly id: string;
  readonly state: string;
  readonly key: string;
  readonly tool: string;
  readonly version: string;
  readonly arguments: unknown;
  readonly created_at: string;
  readonly expires_at: string;
}
