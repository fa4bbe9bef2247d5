import type { EngineEvent, EngineOutcome, EnginePorts, TaskCall } from '../../shared/plan/engine/ports.ts';
import { interpret } from '../../shared/plan/interpret.ts';
import { type VirtualTime, virtualTime } from './virtual-time.ts';

export interface Played {
  readonly outcome: EngineOutcome;
  readonly calls: readonly TaskCall[];
  readonly events: readonly EngineEvent[];
  readonly time: VirtualTime;
}

/** An error by the name on which Retry and Catch match. */
export function named(name: string, message = 'it failed'): Error {
  return Object.assign(new Error(message), { name });
}

/** Runs states in virtual time; `task` answers by the arguments of the call. */
export async function play(
  states: Readonly<Record<string, unknown>>,
  options: {
    readonly input?: unknown;
    readonly task?: (call: TaskCall, time: VirtualTime) => unknown;
    readonly machine?: Readonly<Record<string, unknown>>;
  } & Partial<Omit<EnginePorts, 'task'>> = {},
): Promise<Played> {
  const { input, task, machine, ...ports } = options;
  const time = virtualTime();
  const calls: TaskCall[] = [];
  const events: EngineEvent[] = [];
  const definition = { QueryLanguage: 'JSONata', StartAt: Object.keys(states)[0], States: states, ...machine };
  const outcome = await interpret(definition, input ?? {}, {
    ...time,
    random: () => 0.5,
    onEvent: (event) => events.push(event),
    ...ports,
    task: async (call) => {
      calls.push(call);
      return task?.(call, time);
    },
  });
  return { outcome, calls, events, time };
}

export const output = ({ outcome }: Played): unknown => (outcome.status === 'SUCCEEDED' ? outcome.output : outcome);
