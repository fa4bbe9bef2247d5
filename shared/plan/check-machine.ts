import { Fault } from '../kernel/errors.ts';
import { innerScopes, type Machine, type State, type StateScope } from './asl.ts';

/** The limit of CreateStateMachine. */
const MAX_DEFINITION_BYTES = 1_048_576;

/** Refuses what Step Functions would: bad transitions, repeated names, shadowed variables, misplaced wildcards, size. */
export function checkMachine(machine: Machine): void {
  const bytes = Buffer.byteLength(JSON.stringify(machine));
  if (bytes > MAX_DEFINITION_BYTES) {
    const message = `the definition has ${bytes} bytes, Step Functions takes ${MAX_DEFINITION_BYTES}; split the plan`;
    throw new Fault('TooLarge', message, { bytes, limit: MAX_DEFINITION_BYTES });
  }
  checkScope(machine, new Set(), new Set());
}

function checkScope(scope: StateScope, names: Set<string>, outer: ReadonlySet<string>): void {
  checkTransitions(scope);
  const assigned = new Set(Object.values(scope.States).flatMap(assignedVariables));
  for (const variable of assigned) {
    if (outer.has(variable) || variable === 'states')
      refuse(`variable ${variable} is already assigned outside the branch`);
  }
  for (const [name, state] of Object.entries(scope.States)) {
    if (names.has(name)) refuse(`two states are called ${name}`);
    if (name.length > 80) refuse(`the state name ${name} has ${name.length} characters, 80 are allowed`);
    names.add(name);
    checkWildcards(name, state);
    for (const inner of innerScopes(state)) checkScope(inner, names, outer.union(assigned));
  }
}

function checkTransitions(scope: StateScope): void {
  const reached = new Set<string>();
  const follow = [scope.StartAt];
  for (let name = follow.pop(); name !== undefined; name = follow.pop()) {
    if (reached.has(name)) continue;
    const state = Object.hasOwn(scope.States, name) ? scope.States[name] : undefined;
    if (state === undefined) refuse(`there is no state ${name} to go to`);
    reached.add(name);
    const ends = state.Type === 'Choice' || state.Type === 'Succeed' || state.Type === 'Fail';
    if (!ends && (state.Next === undefined) === (state.End === undefined)) refuse(`${name} needs Next or End`);
    follow.push(...nextStates(state));
  }
  const lost = Object.keys(scope.States).find((name) => !reached.has(name));
  if (lost !== undefined) refuse(`state ${lost} cannot be reached`);
}

function nextStates(state: State): readonly string[] {
  if (state.Type === 'Succeed' || state.Type === 'Fail') return [];
  if (state.Type === 'Choice') {
    return [...state.Choices.map((choice) => choice.Next), ...(state.Default === undefined ? [] : [state.Default])];
  }
  const caught = 'Catch' in state ? (state.Catch ?? []).map((catcher) => catcher.Next) : [];
  return state.Next === undefined ? caught : [state.Next, ...caught];
}

function assignedVariables(state: State): readonly string[] {
  const own = 'Assign' in state ? Object.keys(state.Assign ?? {}) : [];
  const choices = state.Type === 'Choice' ? state.Choices : [];
  const catchers = 'Catch' in state ? (state.Catch ?? []) : [];
  return [...own, ...[...choices, ...catchers].flatMap((rule) => Object.keys(rule.Assign ?? {}))];
}

function checkWildcards(name: string, state: State): void {
  const lists = [...('Retry' in state ? [state.Retry ?? []] : []), ...('Catch' in state ? [state.Catch ?? []] : [])];
  for (const list of lists) {
    list.forEach((rule, index) => {
      if (!rule.ErrorEquals.includes('States.ALL')) return;
      if (rule.ErrorEquals.length > 1 || index < list.length - 1) refuse(`${name} must have States.ALL alone and last`);
    });
  }
}

function refuse(reason: string): never {
  throw new Fault('InvalidInput', `the state machine is not valid: ${reason}`);
}
