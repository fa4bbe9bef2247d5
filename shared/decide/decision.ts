import type { Memory } from '../insight/memory.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Lack } from '../kernel/ports.ts';
import type { Permission, Tool } from '../model/tool.ts';
import type { RequestVectors } from '../search/request-vectors.ts';
import type { SearchIndex } from '../search/search-index.ts';
import type { FeatureWeights } from '../search/weights.ts';
import type { Llm } from './llm.ts';
import type { CallEvidence } from './readiness.ts';

export interface DecideInput {
  readonly task: string;
  /** Values given in addition to the task, by parameter name or any other. */
  readonly context?: JsonObject | undefined;
  /** Only these tools may be chosen. */
  readonly allowed?: readonly string[] | undefined;
  /** The tools to choose from; all are considered, even without a common word with the task. */
  readonly candidates?: readonly string[] | undefined;
  /** How many alternatives to name. */
  readonly top?: number | undefined;
  /** Milliseconds since 1970, for words such as tomorrow. */
  readonly now?: number | undefined;
}

export interface DecideDeps {
  readonly index: SearchIndex;
  /** A tool by name, in its default version; undefined for one that is gone or disabled. */
  readonly tool: (name: string) => Tool | undefined;
  /** The names of all tools; without them only tools that share a word with the task are considered. */
  readonly names?: () => readonly string[];
  /** What is wrong with arguments by the tool's schema. */
  readonly validate?: (tool: Tool, value: JsonObject) => readonly { readonly path: string; readonly message: string }[];
  /** The effective permission of a tool, which may be stricter than the one it declares. */
  readonly permission?: (tool: Tool) => Permission;
  /** Whether a tool can run here; one that cannot is ranked last. */
  readonly available?: (tool: Tool) => boolean;
  /** What the arguments name that does not exist, such as an uploaded picture or a file. */
  readonly lacks?: (tool: Tool, value: JsonObject) => Promise<Lack | undefined>;
  readonly usage?: Usage;
  readonly lists?: Lists;
  /** Earlier requests with the tools that were right for them. */
  readonly memory?: Memory | undefined;
  readonly llm?: Llm;
  /** Encodes the task by the sentence encoder; undefined while that is not loaded. */
  readonly encode?: ((task: string) => Promise<RequestVectors | undefined>) | undefined;
  /** Waits for the tenant's turn before each long part of a decision; by default only for that of the event loop. */
  readonly turn?: () => Promise<void>;
  /** Weights that replace the shipped ones, for fitting. */
  readonly argumentWeights?: Readonly<Record<string, number>>;
  readonly rankingWeights?: FeatureWeights;
  /** Receives the evidence from which the probability of a call is calculated. */
  readonly onEvidence?: (evidence: CallEvidence) => void;
}

/** Statistics and ratings of the tools in use. */
export interface Usage {
  /** Calls so far, the share of them that succeeded, and how long they took. */
  readonly stats?: (
    name: string,
  ) => { readonly calls: number; readonly successRate: number; readonly meanMs?: number } | undefined;
  /** Users' ratings of a tool: their mean, from 1 to 5, and their number. */
  readonly rating?: (name: string) => { readonly mean: number; readonly count: number } | undefined;
}

export interface Lists {
  readonly whitelist?: ReadonlySet<string>;
  /** Name -> reason; put there by a person, so it beats the whitelist. */
  readonly blacklist?: ReadonlyMap<string, string>;
  /** Name -> reason; put there after repeated failures, so the whitelist beats it. */
  readonly failing?: ReadonlyMap<string, string>;
}

export type StepName = 'scenario' | 'intent' | 'match' | 'evaluate' | 'arguments';

/** One step as it is shown: its decision, evidence and confidence, and how many candidates it left. */
export interface Step {
  readonly step: StepName;
  readonly decided: unknown;
  readonly evidence: readonly string[];
  readonly confidence: number;
  readonly candidates: { readonly before: number; readonly after: number };
  readonly by: 'rules' | 'model';
  readonly notes?: readonly string[];
}

export interface Alternative {
  readonly tool: string;
  /** The probability that it is the right tool; those of all tools add up to at most 1. */
  readonly confidence: number;
  /** The probability that it fits, regardless of the other tools. */
  readonly fits: number;
  readonly reasons: readonly string[];
}

export interface Missing {
  readonly parameter: string;
  readonly question: string;
}

/** A value that was filled in and may be wrong. */
export interface Doubt {
  readonly parameter: string;
  readonly value: unknown;
  readonly question: string;
}

export interface ArgumentEvidence {
  readonly parameter: string;
  readonly value: unknown;
  readonly confidence: number;
  readonly from: string;
  /** How the words were converted: date, unit, code, place, choice and the like; absent for the words themselves. */
  readonly how?: string | undefined;
  /** Whether the confidence is high enough that it is not marked as unsure. */
  readonly sure: boolean;
}

/** A draft: nothing runs unless `ready`, and then still under the tool's permission. */
export interface Decision {
  readonly steps: readonly Step[];
  readonly tool: string | null;
  readonly reason: string;
  readonly arguments: JsonObject;
  readonly missing: readonly Missing[];
  /** The values that keep a complete draft from being ready. */
  readonly doubts: readonly Doubt[];
  readonly valid: boolean;
  /** Whether the call can run unchanged, by a threshold measured on requests with known answers. */
  readonly ready: boolean;
  /** The probability that tool and arguments are exactly right; without a tool, that none fits. */
  readonly confidence: number;
  readonly alternatives: readonly Alternative[];
  readonly permission?: Permission;
  readonly notes: readonly string[];
}

/** A tool that is considered for a task. */
export interface Candidate {
  readonly tool: Tool;
  /** The index's score relative to the best one: 1 for that, 0 if no word matched. */
  readonly text: number;
  /** A score for or against it that does not come from its words. */
  readonly bonus?: { readonly score: number; readonly reason: string } | undefined;
  /** The lift by a similar earlier request, which counts only in the ranking. */
  readonly remembered?: { readonly lift: number; readonly reason: string } | undefined;
  /** Set for a tool that cannot run here: it is ranked after all that can. */
  readonly unavailable?: true;
}
