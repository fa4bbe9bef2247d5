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
  /** Values given beside the task, by parameter name or any other. */
  readonly context?: JsonObject | undefined;
  /** Only these tools may be chosen. */
  readonly allowed?: readonly string[] | undefined;
  /** The tools to choose from, all of which are weighed even when no word of theirs is in the task. */
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
  /** The level at which a tool really runs, which may be above what it declares. */
  readonly permission?: (tool: Tool) => Permission;
  /** Whether a tool can run here; one that cannot is named last. */
  readonly available?: (tool: Tool) => boolean;
  /** What the arguments name that is not there: an uploaded picture, a file. */
  readonly lacks?: (tool: Tool, value: JsonObject) => Promise<Lack | undefined>;
  readonly usage?: Usage;
  readonly lists?: Lists;
  /** Earlier requests that tools rightly served. */
  readonly memory?: Memory | undefined;
  readonly llm?: Llm;
  /** The task by the sentence encoder; undefined while it is not loaded. */
  readonly encode?: ((task: string) => Promise<RequestVectors | undefined>) | undefined;
  /** Waits for the caller's turn before each long part of a decision; of the event loop alone unless given. */
  readonly turn?: () => Promise<void>;
  /** Other weights than the shipped ones, for those who fit them. */
  readonly argumentWeights?: Readonly<Record<string, number>>;
  readonly rankingWeights?: FeatureWeights;
  /** Is told what the probability of a call is made from. */
  readonly onEvidence?: (evidence: CallEvidence) => void;
}

/** What was learnt from use. */
export interface Usage {
  /** Calls so far, the share of them that succeeded, and how long they took. */
  readonly stats?: (
    name: string,
  ) => { readonly calls: number; readonly successRate: number; readonly meanMs?: number } | undefined;
  /** What users think of a tool: a mean of 1 to 5 over so many ratings. */
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

/** One step as it is shown: what it decided, from what, how surely, and how many candidates it left. */
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
  /** How likely it is the right tool; those of all tools add up to at most 1. */
  readonly confidence: number;
  /** How likely it fits at all, whatever the others do. */
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
  /** What made the value of these words: date, unit, code, place, choice and the like; absent for the words themselves. */
  readonly how?: string | undefined;
  /** Sure enough to run with unasked. */
  readonly sure: boolean;
}

/** A draft: nothing runs unless `ready`, and then still under the tool's permission. */
export interface Decision {
  readonly steps: readonly Step[];
  readonly tool: string | null;
  readonly reason: string;
  readonly arguments: JsonObject;
  readonly missing: readonly Missing[];
  /** What keeps a draft that lacks nothing from being ready. */
  readonly doubts: readonly Doubt[];
  readonly valid: boolean;
  /** The call can run unchanged, judged by requests with known answers. */
  readonly ready: boolean;
  /** How likely tool and arguments are exactly right; without a tool, how likely none fits. */
  readonly confidence: number;
  readonly alternatives: readonly Alternative[];
  readonly permission?: Permission;
  readonly notes: readonly string[];
}

/** A tool on its way through the steps. */
export interface Candidate {
  readonly tool: Tool;
  /** The index's score beside the best one: 1 for that, 0 when no word matched. */
  readonly text: number;
  /** What speaks for it, or against it, beside its words. */
  readonly bonus?: { readonly score: number; readonly reason: string } | undefined;
  /** What an earlier request like this one adds when candidates are compared, and to nothing else. */
  readonly remembered?: { readonly lift: number; readonly reason: string } | undefined;
  /** Set for a tool that cannot run here: it comes after all that can. */
  readonly unavailable?: true;
}
