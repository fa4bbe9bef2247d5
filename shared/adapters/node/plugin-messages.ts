import type { ResourceUsage } from '../../kernel/ports.ts';
import type { Thrown } from './child-pool.ts';

/** What the server and a plugin's process say to each other. */

export interface LoadedTool {
  /** What the module exported; of a proper tool its definition alone. */
  readonly exported?: unknown;
  readonly canRun: boolean;
}

/** Which of the caller's own means a call has. */
export interface CallMeans {
  readonly progress: boolean;
  readonly client: boolean;
  readonly request: boolean;
}

export type ToPlugin =
  | {
      readonly run: number;
      readonly tool: number;
      readonly args: unknown;
      readonly context: object;
      readonly has: CallMeans;
    }
  | { readonly abort: number }
  | { readonly answer: number; readonly value?: unknown; readonly thrown?: Thrown }
  | { readonly ping: number };

export type FromPlugin =
  /** The first word: the tools of the module, or why there are none. */
  | { readonly tools: readonly LoadedTool[] }
  | { readonly broken: string }
  | { readonly ran: number; readonly text: string; readonly usage: ResourceUsage }
  | { readonly ran: number; readonly thrown: Thrown; readonly usage: ResourceUsage }
  /** Something the tool says while it runs; with `ask` it waits for an answer. */
  | { readonly said: number; readonly what: Saying; readonly args: readonly unknown[]; readonly ask?: number }
  | { readonly pong: number };

export type Saying = 'info' | 'warn' | 'error' | 'progress' | 'client-log' | 'client-request';
