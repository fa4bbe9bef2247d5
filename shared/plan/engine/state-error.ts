/** A failure inside a state machine: Retry and Catch match on its name. */
export class StateError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** The machine was stopped, or a sibling branch failed: nothing catches this. */
export class Aborted extends Error {
  constructor() {
    super('aborted');
    this.name = 'Aborted';
  }
}

/** Anything a task threw as an error with the name that Step Functions would give it. */
export function toStateError(thrown: unknown): StateError {
  if (thrown instanceof StateError) return thrown;
  if (thrown instanceof Error) return new StateError(thrown.name, thrown.message);
  return new StateError('Error', String(thrown));
}

/** Whether a retrier or catcher with these names handles the error. */
export function matchesError(names: readonly string[], error: string): boolean {
  // States.Runtime always ends an execution; States.ALL does not match an exceeded data limit either.
  if (error === 'States.Runtime') return false;
  if (names.includes(error)) return true;
  if (error === 'States.DataLimitExceeded') return false;
  return names.includes('States.ALL') || (names.includes('States.TaskFailed') && error !== 'States.Timeout');
}
