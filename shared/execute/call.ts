import type { FairTurns } from '../kernel/fair-turns.ts';
import type { CallExtras, Gauge, Handler, ResourceUsage, Timers } from '../kernel/ports.ts';
import type { CallError, Invocation, Outcome } from '../model/call.ts';
import type { Actor } from '../model/key.ts';
import type { VersionRecord } from '../model/registration.ts';
import type { Permission } from '../model/tool.ts';
import type { RegistryContext } from '../registry/context.ts';
import type { ResultCache } from './cache.ts';
import type { Meter, Remaining, Reservation } from './meter.ts';
import type { Recorder } from './recorder.ts';
import type { Redact } from './redact.ts';
import type { CheckArguments, CheckOutput } from './validate.ts';

/** The dependencies of running tools, beyond the registry's. */
export interface ExecuteContext extends RegistryContext {
  readonly random: (bytes: number) => Uint8Array;
  readonly timers: Timers;
  /** Divides the event loop between tenants. */
  readonly turns: FairTurns;
  readonly checkArguments: CheckArguments;
  readonly checkOutput: CheckOutput;
  readonly redact: Redact;
  readonly cache: ResultCache;
  readonly meter: Meter;
  readonly gauge: Gauge;
  readonly recorder: Recorder;
  /** Counts requests against a key's rate; absent where there are no rate limits. */
  readonly spendRate?: ((actor: Actor, requests: number) => Promise<void>) | undefined;
}

/** The dependencies of the layers: all but resolving the tool and its handler. */
export type LayerContext = Omit<ExecuteContext, 'catalogs' | 'handlers'>;

/** A call whose id was fixed before anything ran, so that it is charged once however often it is asked for. */
export interface OnceOnly {
  readonly id: string;
  /** What is known of an earlier try: its process died, or it ended and its answer was not kept. */
  readonly earlier?: 'cut off' | 'ended' | undefined;
  /** What its tool had answered before its process died: it is charged and recorded, and not run again. */
  readonly answer?: { readonly output: unknown } | undefined;
  /** Whether a repeat may have taken it over: then this one is neither charged nor recorded. */
  readonly isLost?: (() => boolean) | undefined;
}

/** A caller's options for a call. */
export interface CallOptions extends CallExtras {
  readonly requestId?: string;
  /** The attempt number, when the caller retries a failed call. */
  readonly attempt?: number;
  /** The call that this is, where it may be asked for again. */
  readonly once?: OnceOnly | undefined;
  /** The key that consented elsewhere, such as in a plan's run. Set by our own code only, never by a request. */
  readonly approvedBy?: string;
  /** Keeps what the tool answered, before the call is charged and recorded. */
  readonly answered?: ((output: unknown) => Promise<void>) | undefined;
  /** The most that this call may cost; a dearer one is refused before it runs. */
  readonly maxMicros?: number | undefined;
  /** Receives the key's remaining quota. */
  readonly metered?: (remaining: Remaining) => void;
}

/** The caller's abort signal; as a function, so that it is created only for calls that take long enough. */
export type Caller = AbortSignal | (() => AbortSignal);

/** One call passing through the layers. */
export interface Call {
  readonly id: string;
  readonly at: number;
  readonly actor: Actor;
  readonly record: VersionRecord;
  /** Whether its tool is enabled. */
  readonly isEnabled: boolean;
  /** Why its source switched it off, where it did. */
  readonly disabledReason?: string | undefined;
  readonly handler: Handler;
  readonly permission: Permission;
  readonly invocation: Invocation;
  /** As given, until the validation layer has filled in defaults. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The definition's own price; absent where only the price list may have one. */
  readonly priceMicros?: number | undefined;
  readonly signal?: Caller | undefined;
  readonly options: CallOptions;
}

/** The result of a call that ran. */
export interface CallResult {
  readonly status: Outcome['status'];
  readonly output?: unknown;
  readonly error?: CallError & { readonly stack?: string };
  /** The error the implementation threw, for callers in this process. */
  readonly thrown?: unknown;
  readonly durationMs: number;
  readonly usage: ResourceUsage;
  readonly cached: boolean;
  /** The actual price, where it is less than the reservation. */
  readonly actualMicros?: number | undefined;
  readonly chargedMicros: number;
  /** What was reserved for it, until its record is stored. */
  readonly reservation?: Reservation;
}

export type Next = (call: Call) => Promise<CallResult>;

/** One layer around the implementation: it may refuse with a `Fault`, answer by itself, or call the next. */
export type CallLayer = (context: LayerContext, call: Call, next: Next) => Promise<CallResult>;
