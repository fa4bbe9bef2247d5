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

/** The dependencies of the layers: everything except looking up the tool and its handler. */
export type LayerContext = Omit<ExecuteContext, 'catalogs' | 'handlers'>;

/** A call whose id is fixed before anything runs, so that it is charged once however often it is repeated. */
export interface OnceOnly {
  readonly id: string;
  /** The fate of an earlier try: its process died, or it ended and its answer was not stored. */
  readonly earlier?: 'cut off' | 'ended' | undefined;
  /**
   * What the tool had answered before its process died: the call is charged and recorded, but the tool does not run
   * again.
   */
  readonly answer?: { readonly output: unknown } | undefined;
  /** Whether another process may have resumed the call: then this one neither charges nor records it. */
  readonly isLost?: (() => boolean) | undefined;
}

/** A caller's options for a call. */
export interface CallOptions extends CallExtras {
  readonly requestId?: string;
  /** The attempt number, when the caller retries a failed call. */
  readonly attempt?: number;
  /** The id and state of the call, where it may be repeated. */
  readonly once?: OnceOnly | undefined;
  /** The key that consented elsewhere, such as in a plan's run. Set by our own code only, never from a request. */
  readonly approvedBy?: string;
  /** Stores what the tool answered, before the call is charged and recorded. */
  readonly answered?: ((output: unknown) => Promise<void>) | undefined;
  /** The most that this call may cost; a more expensive one is refused before it runs. */
  readonly maxMicros?: number | undefined;
  /** Receives the key's remaining quota. */
  readonly metered?: (remaining: Remaining) => void;
}

/** The caller's abort signal, or a function that creates it, so that only calls that take long enough create one. */
export type Caller = AbortSignal | (() => AbortSignal);

/** One call passing through the layers. */
export interface Call {
  readonly id: string;
  readonly at: number;
  readonly actor: Actor;
  readonly record: VersionRecord;
  /** Whether its tool is enabled. */
  readonly isEnabled: boolean;
  /** Why its source disabled it, if it did. */
  readonly disabledReason?: string | undefined;
  readonly handler: Handler;
  readonly permission: Permission;
  readonly invocation: Invocation;
  /** As given; the validation layer fills in defaults. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The definition's own price; without it the price list applies. */
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
  /** Its reservation, until its record is stored. */
  readonly reservation?: Reservation;
}

export type Next = (call: Call) => Promise<CallResult>;

/** One layer around the implementation: it refuses with a `Fault`, answers itself, or calls the next layer. */
export type CallLayer = (context: LayerContext, call: Call, next: Next) => Promise<CallResult>;
