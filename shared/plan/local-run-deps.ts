import type { Log, Timers } from '../kernel/ports.ts';
import type { RunView } from '../model/run.ts';
import type { EngineEvent, EnginePorts } from './engine/ports.ts';
import type { RunDeps } from './run-deps.ts';
import type { Runs } from './runs.ts';

/** The dependencies of the local engine. */
export interface LocalRunDeps extends Omit<RunDeps, 'answer' | 'plan' | 'fence' | 'readLarge'> {
  readonly engine: Pick<EnginePorts, 'sleep' | 'random'>;
  readonly timers: Timers;
  readonly random: (bytes: number) => Uint8Array;
  readonly log: Pick<Log, 'warn' | 'error'>;
  readonly onEvent?: (run: string, event: EngineEvent) => void;
  /** Settles the calls of a run that has ended or was taken over; returns whether all are settled. */
  readonly settle?: (runs: Runs, tenant: string, run: string, isTakenOver: boolean) => Promise<boolean>;
}

export interface LocalRuns extends Runs {
  /** Resolves when a run of this process has ended, or was taken over by another. */
  ended(tenant: string, run: string): Promise<RunView>;
  /** Resumes the runs whose owner is gone; returns their ids. */
  resume(): Promise<readonly string[]>;
  /** Stops the runs here, so that the next process resumes them. */
  close(): Promise<void>;
}
