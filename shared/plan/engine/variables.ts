import { bytesWithin, MAX_EXECUTION_VARIABLE_BYTES } from './limits.ts';
import { StateError } from './state-error.ts';

/** The size of all variables of an execution, in bytes. */
export interface VariableBudget {
  bytes: number;
}

/** The variables of one scope: inner scopes read outer ones, and their own are invisible outside. */
export class Variables {
  readonly #values = new Map<string, { readonly value: unknown; readonly bytes: number }>();
  readonly #outer: Variables | undefined;
  readonly #budget: VariableBudget;

  constructor(budget: VariableBudget, outer?: Variables) {
    this.#budget = budget;
    this.#outer = outer;
  }

  /** The scope of a branch. */
  inner(): Variables {
    return new Variables(this.#budget, this);
  }

  read(name: string): unknown {
    const own = this.#values.get(name);
    return own === undefined ? this.#outer?.read(name) : own.value;
  }

  /** Everything visible by name. */
  all(): Record<string, unknown> {
    const visible = this.#outer?.all() ?? Object.create(null);
    for (const [name, { value }] of this.#values) visible[name] = value;
    return visible;
  }

  /** Assigns all variables, or none when a quota is exceeded. */
  assign(values: Readonly<Record<string, unknown>>): void {
    const sized = Object.entries(values).map(([name, value]) => {
      return { name, value, bytes: bytesWithin(value, `variable ${name}`) };
    });
    const added = sized.reduce((sum, { bytes }) => sum + bytes, 0);
    if (added > 0 && sized.length > 1) bytesWithin(values, 'an Assign');
    const replaced = sized.reduce((sum, { name }) => sum + (this.#values.get(name)?.bytes ?? 0), 0);
    if (this.#budget.bytes + added - replaced > MAX_EXECUTION_VARIABLE_BYTES) {
      const message = `all variables together would pass ${MAX_EXECUTION_VARIABLE_BYTES} bytes`;
      throw new StateError('States.DataLimitExceeded', message);
    }
    this.#budget.bytes += added - replaced;
    for (const { name, value, bytes } of sized) this.#values.set(name, { value, bytes });
  }

  /** Frees the branch's share of the budget when it has ended. */
  release(): void {
    for (const { bytes } of this.#values.values()) this.#budget.bytes -= bytes;
    this.#values.clear();
  }
}
