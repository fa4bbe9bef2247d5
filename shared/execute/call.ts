import type { CallExtras, Gauge, Handler, Usage } from '../kernel/ports.ts';
import type { CallError, Invocation, Outcome } from '../model/call.ts';
import type { Actor } from '../model/key.ts';
import type { VersionRecord } from '../model/registration.ts';
import type { Permission } from '../model/tool.ts';
import type { RegistryContext } from '../registry/context.ts';
import type { ResultCache } from './cache.ts';
import type { Meter, Remaining } from './meter.ts';
import type { Recorder } from './recorder.ts';
import type { Redact } from './redact.ts';
import type { CheckArguments, CheckOutput } from './validate.ts';

/** What running tools needs beyond the registry. */
export interface ExecuteContext extends RegistryContext {
  readonly random: (bytes: number) => Uint8Array;
  readonly checkArguments: CheckArguments;
  readonly checkOutput: CheckOutput;
  readonly redact: Redact;
  readonly cache: ResultCache;
  readonly meter: Meter;
  readonly gauge: Gauge;
  readonly recorder: Recorder;
  /** Counts requests against a key's rate; absent where no rates hold. */
  readonly spendRate?: ((actor: Actor, requests: number) => Promise<void>) | undefined;
}

/** What the layers around a call need: all but finding the tool and its handler. */
export type LayerContext = Omit<ExecuteContext, 'catalogs' | 'handlers'>;

/** What a caller may say about a call besides what to run. */
export interface CallOptions extends CallExtras {
  readonly requestId?: string;
  /** Which try this is, when the caller repeats a failed call. */
  readonly attempt?: number;
  /** The key that consented elsewhere, such as in a plan's run. Only our own code says so, never a request. */
  readonly approvedBy?: string;
  /** Hears what is left of the key's quota. */
  readonly metered?: (remaining: Remaining) => void;
}

/** How a caller says that it has given up; as a function, made only for calls that take long enough. */
export type Caller = AbortSignal | (() => AbortSignal);

/** One call on its way through the layers. */
export interface Call {
  readonly id: string;
  readonly at: number;
  readonly actor: Actor;
  readonly record: VersionRecord;
  /** Whether its tool is switched on. */
  readonly isEnabled: boolean;
  readonly handler: Handler;
  readonly permission: Permission;
  readonly invocation: Invocation;
  /** As given, until the layer that checks them has filled in defaults. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Its own price; absent where only the price list may have one. */
  readonly priceMicros?: number | undefined;
  readonly signal?: Caller | undefined;
  readonly options: CallOptions;
}

/** What came of a call that ran. */
export interface CallResult {
  readonly status: Outcome['status'];
  readonly output?: unknown;
  readonly error?: CallError & { readonly stack?: string };
  /** What the implementation threw, for callers in this process. */
  readonly thrown?: unknown;
  readonly durationMs: number;
  readonly usage: Usage;
  readonly cached: boolean;
  /** The price of what was done, where that is less than what was reserved. */
  readonly actualMicros?: number | undefined;
  readonly chargedMicros: number;
}

export type Next = (call: Call) => Promise<CallResult>;

/** One layer around the implementation: it may refuse with a `Fault`, answer by itself, or go on to the next. */
export type CallLayer = (context: LayerContext, call: Call, next: Next) => Promise<CallResult>;
