import type {
  CreateStateMachineOutput,
  DescribeExecutionOutput,
  ListExecutionsOutput,
  StartExecutionOutput,
  StartSyncExecutionOutput,
} from '@aws-sdk/client-sfn';
import * as z from 'zod';
import { Fault } from '../../kernel/errors.ts';
import { MACHINES_PK, machineKey, machineListKey } from '../../kernel/item-keys.ts';
import type { Clock, Item, Table } from '../../kernel/ports.ts';
import { isUnreadable, put, read, stored } from '../../kernel/stored.ts';
import type { ExecutionState, Machines } from '../../plan/machines.ts';
import type { TokenAnswer } from '../../plan/run-deps.ts';
import type { PlanMachine } from '../../plan/to-asl.ts';
import { awsFault, isNamed } from './aws-failures.ts';
import type { JsonCall } from './json-service.ts';

export interface SfnMachinesOptions {
  /** Step Functions. */
  readonly call: JsonCall;
  readonly table: Table;
  readonly clock: Clock;
  /** The prefix of every machine's name, which separates the stages of an account. */
  readonly prefix: string;
  /** The role of every machine; needed to create one. */
  readonly roleArn?: string;
  /** The log group for failures of machines, under /aws/vendedlogs/states/. */
  readonly logGroupArn?: string;
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

/** The state machine for a shape of plans. */
export const MachineItem = stored({
  what: 'state machine',
  schema: z.object({ hash: z.string(), type: z.string(), arn: z.string(), used_at: z.number() }),
  cure: 'remove the item: the machine is then found or made again',
});
/** Lists a state machine. */
export const MachineListItem = stored({ what: 'entry of a state machine', schema: z.object({}) });

/** How often the use of a machine is stored at most. */
const TOUCH_MS = 86_400_000;
/** Creation is eventually consistent, and a name being deleted is free only after about a minute. */
const PAUSES_MS = [200, 500, 1000, 2000, 4000, 8000, 15_000, 30_000, 30_000];

/** State machines on AWS Step Functions, one for each shape of plans, created when first needed. */
export const sfnMachines = (options: SfnMachinesOptions): Machines => new SfnMachines(options);

class SfnMachines implements Machines {
  readonly #options: SfnMachinesOptions;
  /** ARNs known to this process, and when their use was last stored. */
  readonly #known = new Map<string, { readonly arn: string; readonly touched: number }>();

  constructor(options: SfnMachinesOptions) {
    this.#options = options;
  }

  async #call<Output>(operation: string, input: object): Promise<Output> {
    try {
      return (await this.#options.call(operation, input)) as Output;
    } catch (thrown) {
      throw awsFault(thrown, `Step Functions (${operation})`);
    }
  }

  async start(machine: PlanMachine, name: string, input: unknown): Promise<string> {
    return this.#onMachine(machine, async (stateMachineArn) => {
      const asked = { stateMachineArn, name, input: JSON.stringify(input) };
      try {
        return (await this.#call<StartExecutionOutput>('StartExecution', asked)).executionArn ?? '';
      } catch (thrown) {
        // A start that is repeated after the execution has ended.
        if (!isNamed(thrown, 'ExecutionAlreadyExists')) throw thrown;
        return `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
      }
    });
  }

  async runSync(machine: PlanMachine, name: string, input: unknown): Promise<ExecutionState> {
    const ended = await this.#onMachine(machine, (stateMachineArn) =>
      this.#call<StartSyncExecutionOutput>('StartSyncExecution', {
        stateMachineArn,
        name,
        input: JSON.stringify(input),
      }),
    );
    return toState(ended);
  }

  async describe(execution: string): Promise<ExecutionState | undefined> {
    try {
      return toState(await this.#call<DescribeExecutionOutput>('DescribeExecution', { executionArn: execution }));
    } catch (thrown) {
      if (isNamed(thrown, 'ExecutionDoesNotExist')) return undefined;
      throw thrown;
    }
  }

  async stop(execution: string, cause: string): Promise<void> {
    await this.#call('StopExecution', { executionArn: execution, error: 'RunCancelled', cause });
  }

  async answer(taskToken: string, answer: TokenAnswer): Promise<void> {
    try {
      if (answer.ok) await this.#call('SendTaskSuccess', { taskToken, output: JSON.stringify(answer.output) });
      else await this.#call('SendTaskFailure', { taskToken, error: answer.error, cause: answer.cause });
    } catch (thrown) {
      if (!isNamed(thrown, 'TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken')) throw thrown;
      throw new Fault('Conflict', 'the question is no longer open: it was answered, timed out or its run ended');
    }
  }

  async removeUnused(unusedMs: number): Promise<readonly string[]> {
    const removed: string[] = [];
    let after: string | undefined;
    do {
      const page = await this.#options.table.query(MACHINES_PK, { after });
      for (const { key } of page.items)
        try {
          if (await this.#removeOne(key.sk, unusedMs)) removed.push(key.sk);
        } catch (thrown) {
          // It is left to a release that can read it.
          if (!isUnreadable(thrown)) throw thrown;
        }
      after = page.next;
    } while (after !== undefined);
    return removed;
  }

  /** Uses a machine; creates it first if it does not exist or is being deleted. */
  async #onMachine<T>(machine: PlanMachine, use: (arn: string) => Promise<T>): Promise<T> {
    for (const pause of PAUSES_MS) {
      try {
        return await use(await this.#ensure(machine));
      } catch (thrown) {
        if (!isNamed(thrown, 'StateMachineDoesNotExist', 'StateMachineDeleting')) throw thrown;
        await this.#forget(machine.hash);
        await this.#options.pause(pause);
      }
    }
    throw new Fault(
      'Unavailable',
      `the state machine ${machineName(this.#options.prefix, machine.hash)} is not ready yet; try again in a minute`,
    );
  }

  async #ensure(machine: PlanMachine): Promise<string> {
    const { table, clock, prefix } = this.#options;
    const now = clock.now();
    const known = this.#known.get(machine.hash);
    if (known !== undefined && now - known.touched < TOUCH_MS) return known.arn;
    const stored = await table.get(machineKey(machine.hash));
    const { hash, type } = machine;
    const made = stored && read(stored, MachineItem).arn;
    // A machine that an earlier release named differently is not used any more.
    const arn = made?.endsWith(`:${machineName(prefix, hash)}`) ? made : await this.#create(machine);
    await table.write([
      put(machineKey(hash), MachineItem, { hash, type, arn, used_at: now }),
      put(machineListKey(hash), MachineListItem, {}),
    ]);
    this.#known.set(machine.hash, { arn, touched: now });
    return arn;
  }

  /** Creating is idempotent: the same name and definition return the existing machine. */
  async #create({ hash, definition, type }: PlanMachine): Promise<string> {
    const { prefix, roleArn, logGroupArn } = this.#options;
    if (roleArn === undefined) throw new Fault('Unavailable', 'this function may not create state machines');
    const created = await this.#call<CreateStateMachineOutput>('CreateStateMachine', {
      name: machineName(prefix, hash),
      definition: JSON.stringify(definition),
      roleArn,
      type,
      loggingConfiguration: logGroupArn === undefined ? undefined : loggingTo(logGroupArn),
      tracingConfiguration: { enabled: true },
    });
    return created.stateMachineArn ?? '';
  }

  async #forget(hash: string): Promise<void> {
    this.#known.delete(hash);
    await this.#options.table.write([{ remove: machineKey(hash) }, { remove: machineListKey(hash) }]);
  }

  async #removeOne(hash: string, unusedMs: number): Promise<boolean> {
    const { table, clock } = this.#options;
    const isOld = (item: Item): boolean => clock.now() - read(item, MachineItem).used_at >= unusedMs;
    const item = await table.get(machineKey(hash));
    if (!item || !isOld(item)) return false;
    const { arn, type } = read(item, MachineItem);
    if (await this.#isBusy(arn, type)) return false;
    // From now on a user finds no row and creates the machine again, waiting until this one is deleted.
    const claimed = await table.change([machineKey(hash)], ([now]) => {
      if (now === undefined || !isOld(now)) return { writes: [], result: false };
      return { writes: [{ remove: now.key }, { remove: machineListKey(hash) }], result: true };
    });
    if (!claimed) return false;
    this.#known.delete(hash);
    await this.#call('DeleteStateMachine', { stateMachineArn: arn });
    return true;
  }

  /** Executions of Express machines end within minutes and cannot be listed. */
  async #isBusy(stateMachineArn: string, type: string): Promise<boolean> {
    if (type === 'EXPRESS') return false;
    try {
      const asked = { stateMachineArn, statusFilter: 'RUNNING', maxResults: 1 };
      const { executions } = await this.#call<ListExecutionsOutput>('ListExecutions', asked);
      return (executions?.length ?? 0) > 0;
    } catch (thrown) {
      if (isNamed(thrown, 'StateMachineDoesNotExist')) return false;
      throw thrown;
    }
  }
}

/** With forty digits of the hash, because names have at most 80 characters. */
const machineName = (prefix: string, hash: string): string => `${prefix}${hash.slice(0, 40)}`;

const loggingTo = (logGroupArn: string) => ({
  level: 'ERROR' as const,
  includeExecutionData: false,
  destinations: [
    { cloudWatchLogsLogGroup: { logGroupArn: logGroupArn.endsWith(':*') ? logGroupArn : `${logGroupArn}:*` } },
  ],
});

interface Described {
  readonly status?: string | undefined;
  readonly output?: string | undefined;
  readonly error?: string | undefined;
  readonly cause?: string | undefined;
}

function toState({ status, output, error, cause }: Described): ExecutionState {
  if (status === 'SUCCEEDED') return { status, output: output === undefined ? {} : JSON.parse(output) };
  if (status === 'FAILED' || status === 'TIMED_OUT' || status === 'ABORTED') {
    return { status, error: error ?? '', cause: cause ?? '' };
  }
  return { status: 'RUNNING' };
}
