import { innerScopes, type Machine, parseMachine, type State, type StateScope } from '../asl.ts';
import { checkMachine } from '../check-machine.ts';
import { compileTemplate, type Template } from './template.ts';

/** A definition that was parsed, checked and compiled once for any number of runs. */
export interface PreparedMachine {
  readonly machine: Machine;
  /** The compiled form of each payload in the definition. */
  readonly templates: ReadonlyMap<unknown, Template>;
}

/** Refuses a definition that Step Functions would refuse, and expressions that are not JSONata. */
export function prepareMachine(definition: unknown): PreparedMachine {
  const machine = parseMachine(definition);
  checkMachine(machine);
  return prepareChecked(machine);
}

/** Compiles a definition that is known to be valid, such as one just written. */
export function prepareChecked(machine: Machine): PreparedMachine {
  const templates = new Map<unknown, Template>();
  compileScope(machine, templates);
  return { machine, templates };
}

export const isPrepared = (definition: unknown): definition is PreparedMachine =>
  typeof definition === 'object' && definition !== null && 'templates' in definition && 'machine' in definition;

const FIELDS = [
  'Arguments',
  'Output',
  'Assign',
  'Items',
  'ItemSelector',
  'MaxConcurrency',
  'TimeoutSeconds',
  'HeartbeatSeconds',
  'Condition',
  'Seconds',
  'Timestamp',
  'Error',
  'Cause',
] as const;

function compileScope(scope: StateScope, templates: Map<unknown, Template>): void {
  for (const state of Object.values(scope.States)) {
    for (const owner of [state, ...rulesOf(state)]) compileFields(owner, templates);
    for (const inner of innerScopes(state)) compileScope(inner, templates);
  }
}

function rulesOf(state: State): readonly object[] {
  if (state.Type === 'Choice') return state.Choices;
  return 'Catch' in state ? (state.Catch ?? []) : [];
}

function compileFields(owner: object, templates: Map<unknown, Template>): void {
  const fields: Readonly<Partial<Record<string, unknown>>> = { ...owner };
  for (const field of FIELDS) {
    const payload = fields[field];
    if (payload !== undefined && !templates.has(payload)) templates.set(payload, compileTemplate(payload));
  }
}
