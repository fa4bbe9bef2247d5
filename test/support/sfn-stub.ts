import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { engineTime } from '../../shared/adapters/node/engine-time.ts';
import type { EngineOutcome } from '../../shared/plan/engine/ports.ts';
import { type PreparedMachine, prepareMachine } from '../../shared/plan/engine/prepare.ts';
import { createTokenDesk } from '../../shared/plan/engine/tokens.ts';
import { interpret } from '../../shared/plan/interpret.ts';

/** A Lambda function: takes a payload and returns its result. */
export type StubFunction = (payload: unknown) => Promise<unknown>;

interface StubMachine {
  readonly arn: string;
  readonly name: string;
  readonly type: string;
  readonly definition: string;
  readonly prepared: PreparedMachine;
  /** How many more starts do not find the machine, as if it were not visible yet. */
  hidden: number;
}

interface StubExecution {
  readonly arn: string;
  readonly machine: string;
  readonly input: unknown;
  readonly controller: AbortController;
  readonly done: Promise<void>;
  outcome: EngineOutcome | undefined;
}

type Body = Readonly<Record<string, unknown>>;

/** An error in the service's format. */
class ServiceError extends Error {
  constructor(name: string, message = name) {
    super(message);
    this.name = name;
  }
}

/** The part of the Step Functions API that plans use, over HTTP, on our own engine. */
export class SfnStub {
  readonly calls: string[] = [];
  readonly machines = new Map<string, StubMachine>();
  readonly executions = new Map<string, StubExecution>();
  /** Names that are still being deleted -> how many more creations fail. */
  readonly deleting = new Map<string, number>();
  /** How many starts do not find a new machine, and how many requests are throttled. */
  lateBy = 0;
  throttled = 0;
  readonly #run: StubFunction;
  readonly #server: Server;
  #tokens = 0;
  readonly #desk = createTokenDesk(() => `token-${++this.#tokens}`);

  constructor(run: StubFunction) {
    this.#run = run;
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', async () => {
        const action = String(request.headers['x-amz-target']).split('.')[1] ?? '';
        const answer = await this.#answer(action, JSON.parse(Buffer.concat(chunks).toString() || '{}'));
        response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' });
        response.end(JSON.stringify(answer.body));
      });
    });
  }

  /** Listens on a free loopback port and returns the address. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Aborts all executions and clears the state. */
  reset(): void {
    for (const { controller } of this.executions.values()) controller.abort();
    for (const list of [this.machines, this.executions, this.deleting]) list.clear();
    this.calls.length = 0;
    this.lateBy = 0;
    this.throttled = 0;
  }

  async close(): Promise<void> {
    this.reset();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(action: string, body: Body): Promise<{ status: number; body: unknown }> {
    this.calls.push(action);
    try {
      if (this.throttled > 0) {
        this.throttled -= 1;
        throw new ServiceError('ThrottlingException', 'Rate exceeded');
      }
      const found = this.#actions[action];
      if (found === undefined) throw new ServiceError('UnknownOperationException', action);
      return { status: 200, body: await found(body) };
    } catch (thrown) {
      const { name, message } = thrown as Error;
      return { status: 400, body: { __type: name, message } };
    }
  }

  readonly #actions: Readonly<Record<string, (body: Body) => unknown>> = {
    CreateStateMachine: (body) => this.#create(body),
    DeleteStateMachine: ({ stateMachineArn }) => void this.machines.delete(String(stateMachineArn)),
    ListExecutions: ({ stateMachineArn }) => {
      const { type } = this.#machine(stateMachineArn);
      if (type === 'EXPRESS') throw new ServiceError('StateMachineTypeNotSupported');
      const running = [...this.executions.values()].filter((one) => one.machine === stateMachineArn && !one.outcome);
      return { executions: running.map(({ arn }) => ({ executionArn: arn, startDate: 0 })) };
    },
    StartExecution: ({ stateMachineArn, name, input }) => {
      const known = this.executions.get(`${String(stateMachineArn).replace(':stateMachine:', ':execution:')}:${name}`);
      if (known && (known.outcome || known.input !== input)) throw new ServiceError('ExecutionAlreadyExists');
      if (known) return { executionArn: known.arn, startDate: 1_767_225_600 };
      const { arn } = this.#start(stateMachineArn, name, input, 'execution');
      return { executionArn: arn, startDate: 1_767_225_600 };
    },
    StartSyncExecution: async ({ stateMachineArn, name, input }) => {
      if (this.#machine(stateMachineArn).type !== 'EXPRESS') throw new ServiceError('StateMachineTypeNotSupported');
      const execution = this.#start(stateMachineArn, name, input, 'express');
      await execution.done;
      return described(execution);
    },
    DescribeExecution: ({ executionArn }) => described(this.#execution(executionArn)),
    StopExecution: async ({ executionArn }) => {
      const execution = this.#execution(executionArn);
      if (execution.arn.includes(':express:')) throw new ServiceError('StateMachineTypeNotSupported');
      execution.controller.abort();
      await execution.done;
      return { stopDate: 1_767_225_600 };
    },
    SendTaskSuccess: ({ taskToken, output }) =>
      this.#settle(() => this.#desk.succeed(String(taskToken), JSON.parse(String(output)))),
    SendTaskFailure: ({ taskToken, error, cause }) =>
      this.#settle(() => this.#desk.fail(String(taskToken), String(error), String(cause))),
  };

  #create({ name, definition, type }: Body): unknown {
    const left = this.deleting.get(String(name)) ?? 0;
    if (left > 0) {
      this.deleting.set(String(name), left - 1);
      throw new ServiceError('StateMachineDeleting');
    }
    const arn = `arn:aws:states:eu-west-1:123456789012:stateMachine:${name}`;
    const before = this.machines.get(arn);
    if (before !== undefined && before.definition !== definition) throw new ServiceError('StateMachineAlreadyExists');
    if (before === undefined) {
      const prepared = prepareMachine(JSON.parse(String(definition)));
      this.machines.set(arn, {
        arn,
        name: String(name),
        type: String(type),
        definition: String(definition),
        prepared,
        hidden: this.lateBy,
      });
    }
    return { stateMachineArn: arn, creationDate: 1_767_225_600 };
  }

  #start(stateMachineArn: unknown, name: unknown, input: unknown, kind: string): StubExecution {
    const machine = this.#machine(stateMachineArn);
    if (machine.hidden > 0) {
      machine.hidden -= 1;
      throw new ServiceError('StateMachineDoesNotExist');
    }
    const arn = `arn:aws:states:eu-west-1:123456789012:${kind}:${machine.name}:${name}`;
    const controller = new AbortController();
    const ports = {
      ...engineTime(),
      now: Date.now,
      random: () => 0.01,
      name: String(name),
      tokens: this.#desk,
      signal: controller.signal,
      task: (call: { readonly arguments: unknown }) => this.#invoke(call.arguments as Body),
    };
    const done = interpret(machine.prepared, JSON.parse(String(input)), ports).then((outcome) => {
      execution.outcome = outcome;
    });
    const execution: StubExecution = { arn, machine: machine.arn, input, controller, done, outcome: undefined };
    this.executions.set(arn, execution);
    return execution;
  }

  /** Calls the function as Lambda does: an error is returned with its name, and its message in JSON. */
  async #invoke({ Payload }: Body): Promise<unknown> {
    try {
      const answer = await this.#run(JSON.parse(JSON.stringify(Payload)));
      return { StatusCode: 200, ExecutedVersion: '$LATEST', Payload: answer };
    } catch (thrown) {
      const { name, message, stack } = thrown as Error;
      const cause = JSON.stringify({ errorType: name, errorMessage: message, trace: stack?.split('\n').slice(0, 2) });
      throw Object.assign(new Error(cause), { name });
    }
  }

  #settle(settle: () => void): unknown {
    try {
      settle();
      return {};
    } catch {
      throw new ServiceError('TaskTimedOut');
    }
  }

  #machine(arn: unknown): StubMachine {
    const found = this.machines.get(String(arn));
    if (found === undefined) throw new ServiceError('StateMachineDoesNotExist');
    return found;
  }

  #execution(arn: unknown): StubExecution {
    const found = this.executions.get(String(arn));
    if (found === undefined) throw new ServiceError('ExecutionDoesNotExist');
    return found;
  }
}

function described({ arn, machine, outcome }: StubExecution): unknown {
  const common = { executionArn: arn, stateMachineArn: machine, startDate: 1_767_225_600 };
  if (outcome === undefined) return { ...common, status: 'RUNNING' };
  if (outcome.status === 'SUCCEEDED')
    return { ...common, status: outcome.status, output: JSON.stringify(outcome.output) };
  return { ...common, ...outcome };
}
