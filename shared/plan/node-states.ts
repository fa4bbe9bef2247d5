import type { PlanNode } from '../model/plan.ts';
import type { NumberedNode } from './arrange.ts';
import type { Catcher, Retrier, State, StateOf } from './asl.ts';
import { at } from './order.ts';

/** Errors that a retry cannot fix. Step Functions matches on the error's name, which is the fault's code. */
export const PERMANENT = [
  'InvalidInput',
  'Unauthenticated',
  'PaymentRequired',
  'Forbidden',
  'NotFound',
  'Conflict',
  'ConfirmationRequired',
  'AccountRequired',
  'TooLarge',
  'ApprovalDenied',
  'RunCancelled',
  'States.QueryEvaluationError',
] as const;

/** The function was not invoked, so the tool did not run: retried under every policy. */
const DELIVERY: Retrier = {
  ErrorEquals: [
    'Lambda.TooManyRequestsException',
    'Lambda.ServiceException',
    'Lambda.AWSLambdaException',
    'Lambda.SdkClientException',
  ],
  IntervalSeconds: 1,
  MaxAttempts: 5,
  BackoffRate: 2,
  MaxDelaySeconds: 30,
  JitterStrategy: 'FULL',
};

/** How the states of a node are embedded in their scope. */
export interface NodePosition {
  /** The function that runs steps and asks for approval: a name or an ARN. */
  readonly step: string;
  /** The variable that holds another node's record, and the one for its own. */
  readonly read: (number: number) => string;
  readonly own: string;
  /** The state after the node, and the one for a cancelled run. */
  readonly next: string;
  readonly cancelled: string;
}

/** A node and the dependencies whose missing result skips it. */
export interface GuardedNode extends NumberedNode {
  readonly guards: readonly number[];
}

/** Whether a failure of the node leaves a record instead of stopping the run. */
export const maySkip = ({ on_failure }: PlanNode): boolean =>
  on_failure.policy === 'skip' || (on_failure.policy === 'retry' && on_failure.then === 'skip');

/** The first state of a node. */
export const firstState = (one: GuardedNode): string =>
  `${one.guards.length > 0 ? 'g' : one.node.confirm ? 'a' : 'n'}${one.number}`;

/** The states of one node: a guard and a confirmation where needed, and the call itself. */
export function nodeStates(one: GuardedNode, place: NodePosition): readonly [string, State][] {
  const states: [string, State][] = [[`n${one.number}`, callState(one, place)]];
  if (one.node.confirm) states.unshift([`a${one.number}`, askState(one, place, `n${one.number}`)]);
  const [first] = at(states, 0);
  if (one.guards.length > 0) states.unshift([`g${one.number}`, guardState(one, place, first)]);
  return states;
}

function guardState(one: GuardedNode, place: NodePosition, next: string): StateOf<'Choice'> {
  const missing = one.guards.map((number) => `$${place.read(number)}.s != 'ok'`).join(' or ');
  return {
    Type: 'Choice',
    Choices: [
      {
        Condition: `{% ${missing} %}`,
        Assign: { [place.own]: { s: 'skipped', error: 'DependencySkipped' } },
        Output: {},
        Next: place.next,
      },
    ],
    Default: next,
  };
}

function askState(one: NumberedNode, place: NodePosition, next: string): StateOf<'Task'> {
  return {
    Type: 'Task',
    Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
    TimeoutSeconds: `{% $states.context.Execution.Input.approvals[${one.number - 1}] %}`,
    Arguments: {
      FunctionName: place.step,
      Payload: {
        ask: `n${one.number}`,
        input: '{% $states.context.Execution.Input %}',
        task_token: '{% $states.context.Task.Token %}',
      },
    },
    Retry: [DELIVERY],
    ...catching(one, place, 'denied'),
    Output: {},
    Next: next,
  };
}

function callState(one: NumberedNode, place: NodePosition): StateOf<'Task'> {
  const results = one.takes.map((number) => [`n${number}`, `{% $${place.read(number)} %}`]);
  return {
    Type: 'Task',
    Resource: 'arn:aws:states:::lambda:invoke',
    TimeoutSeconds: `{% $states.context.Execution.Input.timeouts[${one.number - 1}] %}`,
    Arguments: {
      FunctionName: place.step,
      Payload: {
        node: `n${one.number}`,
        input: '{% $states.context.Execution.Input %}',
        results: Object.fromEntries(results),
      },
    },
    Retry: retriers(one),
    ...catching(one, place, 'skipped'),
    Assign: { [place.own]: '{% $states.result.Payload %}' },
    Output: {},
    Next: place.next,
  };
}

function retriers({ node }: NumberedNode): Retrier[] {
  if (node.on_failure.policy !== 'retry') return [DELIVERY];
  const again: Retrier = {
    ErrorEquals: ['States.ALL'],
    IntervalSeconds: 1,
    MaxAttempts: node.on_failure.attempts - 1,
    BackoffRate: 2,
    MaxDelaySeconds: 30,
    JitterStrategy: 'FULL',
  };
  return [{ ErrorEquals: [...PERMANENT], MaxAttempts: 0 }, DELIVERY, again];
}

function catching(one: NumberedNode, place: NodePosition, status: 'skipped' | 'denied'): { Catch?: Catcher[] } {
  if (!maySkip(one.node)) return {};
  const record = { s: status, error: '{% $states.errorOutput.Error %}' };
  return {
    Catch: [
      { ErrorEquals: ['RunCancelled'], Output: {}, Next: place.cancelled },
      {
        ErrorEquals: ['States.ALL'],
        Assign: { [place.own]: record },
        Output: {},
        Next: place.next,
      },
    ],
  };
}
