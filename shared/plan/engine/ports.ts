/** One call of a Task state. */
export interface TaskCall {
  readonly resource: string;
  readonly arguments: unknown;
  /** The state's name, and the number of retries so far. */
  readonly state: string;
  readonly retryCount: number;
  /** Aborted when the state times out, a sibling fails or the run is stopped. */
  readonly signal: AbortSignal;
  readonly token?: string;
}

/** Where `.waitForTaskToken` states wait. */
export interface TaskTokens {
  issue(): string;
  /** Settles when someone sends success or failure for the token. */
  wait(token: string, signal: AbortSignal, onHeartbeat: () => void): Promise<unknown>;
}

export type EngineEvent = {
  readonly at: number;
  readonly state: string;
} & (
  | { readonly type: 'entered' | 'exited'; readonly data: unknown }
  | { readonly type: 'failed' | 'retried' | 'caught'; readonly error: string; readonly cause: string }
);

/** The dependencies of the local engine. */
export interface EnginePorts {
  readonly now: () => number;
  /** Resolves after a time; rejects when aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly task: (call: TaskCall) => Promise<unknown>;
  /** Waits until the task of a state may start, before its time limit does; resolves to what ends it. */
  readonly admit?: (state: string) => Promise<() => void>;
  readonly tokens?: TaskTokens;
  readonly onEvent?: (event: EngineEvent) => void;
  /** Stops the execution. */
  readonly signal?: AbortSignal;
  /** The execution's name and ARN-like id in the context object. */
  readonly name?: string;
}

export type EngineOutcome =
  | { readonly status: 'SUCCEEDED'; readonly output: unknown }
  | { readonly status: 'FAILED' | 'TIMED_OUT' | 'ABORTED'; readonly error: string; readonly cause: string };
