import type { ResourceUsage } from '../../kernel/ports.ts';
import type { Thrown } from './child-pool.ts';

/** The messages between the server and a plugin's process. */

export interface LoadedTool {
  /** The exported value; of a valid tool only its definition. */
  readonly exported?: unknown;
  readonly canRun: boolean;
}

/** The callbacks that a call's caller supports. */
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
  /** The first message: the tools of the module, or why there are none. */
  | { readonly tools: readonly LoadedTool[] }
  | { readonly broken: string }
  | { readonly ran: number; readonly text: string; readonly usage: ResourceUsage }
  | { readonly ran: number; readonly thrown: Thrown; readonly usage: ResourceUsage }
  /** A message of a running tool; with `ask` it waits for an answer. */
  | { readonly said: number; readonly what: Saying; readonly args: readonly unknown[]; readonly ask?: number }
  | { readonly pong: number };

export type Saying = 'info' | 'warn' | 'error' | 'progress' | 'client-log' | 'client-request';
