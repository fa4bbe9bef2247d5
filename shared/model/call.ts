/** A caller's request to run a tool. */
export interface Invocation {
  readonly name: string;
  readonly arguments: unknown;
  readonly version?: string | undefined;
  readonly confirmation?: string | undefined;
}

/** A tool's failure as the caller sees it. */
export interface CallError {
  readonly type: string;
  readonly message: string;
}

/** The outcome of a call that was allowed to run. A tool's failure is an outcome, not an error of the registry. */
export interface Outcome {
  readonly call_id: string;
  readonly tool: string;
  readonly version: string;
  /** `interrupted`: it started and ended with its process; neither repeated nor charged. */
  readonly status: 'ok' | 'failed' | 'interrupted';
  readonly output?: unknown;
  readonly error?: CallError;
  readonly duration_ms: number;
  readonly cached: boolean;
  readonly charged_micros: number;
}

/** How a call ended; a refused call did not run. */
export const CALL_STATUSES = ['ok', 'failed', 'refused', 'interrupted'] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];
