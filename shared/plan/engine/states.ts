import type { State, StateOf, StateScope } from '../asl.ts';
import type { Cancel } from './cancel.ts';
import {
  assignAndOutput,
  evaluate,
  evaluateJson,
  type Frame,
  report,
  type StateVisit,
  seconds,
  type Transition,
} from './frame.ts';
import { jsonWithin } from './limits.ts';
import { pause, withRescue } from './retry.ts';
import { StateError } from './state-error.ts';
import { runTask } from './task.ts';

/** The most items that an inline Map runs at a time. */
const MAP_CONCURRENCY = 40;

/** Runs the states of a scope until one ends it. */
export async function runScope(frame: Frame, scope: StateScope, given: unknown): Promise<unknown> {
  let input = given;
  for (let name: string | undefined = scope.StartAt; ; ) {
    frame.cancel.check();
    const state: State | undefined = scope.States[name];
    if (state === undefined) throw new StateError('States.Runtime', `there is no state ${name}`);
    report(frame.execution, { type: 'entered', state: name, data: input });
    const enteredAt = new Date(frame.execution.ports.now()).toISOString();
    const transition: Transition = await runState({ frame, name, input, enteredAt }, state);
    report(frame.execution, { type: 'exited', state: name, data: transition.output });
    if (transition.next === undefined) return transition.output;
    input = transition.output;
    name = transition.next;
  }
}

function runState(visit: StateVisit, state: State): Promise<Transition> {
  switch (state.Type) {
    case 'Task':
      return rescued(visit, state, (again) => runTask(again, state));
    case 'Parallel':
      return rescued(visit, state, (again) => runParallel(again, state));
    case 'Map':
      return rescued(visit, state, (again) => runMap(again, state));
    case 'Choice':
      return runChoice(visit, state);
    case 'Pass':
      return goOn(visit, state, visit.input);
    case 'Wait':
      return runWait(visit, state);
    case 'Succeed':
      return goOn(visit, { Output: state.Output }, visit.input);
    case 'Fail':
      return runFail(visit, state);
  }
}

type Rescued = StateOf<'Task'> | StateOf<'Parallel'> | StateOf<'Map'>;

function rescued(visit: StateVisit, state: Rescued, run: (visit: StateVisit) => Promise<unknown>): Promise<Transition> {
  return withRescue(visit, state, async (again) => {
    const result = await run(again);
    return { output: await assignAndOutput(again, state, result, { result }), next: state.Next };
  });
}

async function goOn(
  visit: StateVisit,
  state: { Next?: string | undefined; Output?: unknown },
  given: unknown,
): Promise<Transition> {
  return { output: await assignAndOutput(visit, state, given), next: state.Next };
}

async function runParallel(visit: StateVisit, state: StateOf<'Parallel'>): Promise<unknown> {
  const input = await evaluateJson(visit, state.Arguments, 'the arguments');
  const results = await visit.frame.cancel.within((cancel) =>
    Promise.all(state.Branches.map((branch) => runInside(visit.frame, cancel, branch, input))),
  );
  return jsonWithin(results, `the result of ${visit.name}`);
}

async function runMap(visit: StateVisit, state: StateOf<'Map'>): Promise<unknown> {
  const items = await evaluateJson(visit, state.Items, 'the items');
  if (!Array.isArray(items))
    throw new StateError('States.QueryEvaluationError', `Items of ${visit.name} is not an array`);
  const limit = (await seconds(visit, state.MaxConcurrency, 'MaxConcurrency', 0)) || MAP_CONCURRENCY;
  const results: unknown[] = new Array(items.length);
  let next = 0;
  await visit.frame.cancel.within((cancel) => {
    const work = async (): Promise<void> => {
      while (next < items.length) {
        const index = next++;
        const item = { Index: index, Value: items[index] };
        const each = { ...visit, frame: { ...visit.frame, item } };
        const input = state.ItemSelector === undefined ? item.Value : await evaluate(each, state.ItemSelector);
        results[index] = await runInside(each.frame, cancel, state.ItemProcessor, input);
      }
    };
    return Promise.all(Array.from({ length: Math.min(limit, MAP_CONCURRENCY, items.length) }, work));
  });
  return jsonWithin(results, `the result of ${visit.name}`);
}

async function runInside(frame: Frame, cancel: Cancel, scope: StateScope, input: unknown): Promise<unknown> {
  const variables = frame.variables.inner();
  try {
    return await runScope({ ...frame, variables, cancel }, scope, input);
  } finally {
    variables.release();
  }
}

async function runChoice(visit: StateVisit, state: StateOf<'Choice'>): Promise<Transition> {
  for (const choice of state.Choices) {
    const holds = typeof choice.Condition === 'boolean' ? choice.Condition : await evaluate(visit, choice.Condition);
    if (typeof holds !== 'boolean') {
      throw new StateError('States.QueryEvaluationError', `a Condition of ${visit.name} is neither true nor false`);
    }
    if (holds) return goOn(visit, choice, visit.input);
  }
  if (state.Default === undefined) throw new StateError('States.NoChoiceMatched', `no choice of ${visit.name} matched`);
  return goOn(visit, { ...state, Next: state.Default }, visit.input);
}

async function runWait(visit: StateVisit, state: StateOf<'Wait'>): Promise<Transition> {
  const { now } = visit.frame.execution.ports;
  const wait = await seconds(visit, state.Seconds, 'Seconds', 0);
  if (wait !== undefined) await pause(visit.frame, wait * 1000);
  if (state.Timestamp !== undefined) {
    const moment = Date.parse(String(await evaluate(visit, state.Timestamp)));
    if (Number.isNaN(moment))
      throw new StateError('States.QueryEvaluationError', `Timestamp of ${visit.name} is not a time`);
    await pause(visit.frame, Math.max(0, moment - now()));
  }
  return goOn(visit, state, visit.input);
}

async function runFail(visit: StateVisit, state: StateOf<'Fail'>): Promise<never> {
  const name = state.Error === undefined ? '' : String(await evaluate(visit, state.Error));
  throw new StateError(name, state.Cause === undefined ? '' : String(await evaluate(visit, state.Cause)));
}
