import { isRecord, type MutableSchema, own, type Schema, setOwn } from '../json.ts';

const MAX_STEPS = 200;

/**
 * Arguments that arrive value by value, each with a JSON Path (RFC 9535), and texts in several parts. A value that
 * cannot be placed is a fault, because the arguments are then not what the model meant.
 */
export class PartialArguments {
  readonly value: MutableSchema = {};
  readonly #unfinished = new Set<string>();
  #fault: string | undefined;

  /** Why the arguments are incomplete, if they are. */
  get fault(): string | undefined {
    const [path] = this.#unfinished;
    return this.#fault ?? (path === undefined ? undefined : `the text at ${path.slice(0, 80)} was not finished`);
  }

  add(part: Schema): void {
    const path = String(part.jsonPath);
    const steps = parsePath(path);
    const value = valueIn(part);
    const goesOn = this.#unfinished.delete(path);
    if (part.willContinue === true) this.#unfinished.add(path);
    if (value === undefined && goesOn) return;
    if (steps === undefined || value === undefined || !place(this.value, steps, value, goesOn))
      this.#fault ??= `a value at ${path.slice(0, 80)} could not be placed`;
  }
}

/** The keys and indexes of a path to one value. */
function parsePath(path: string): readonly (string | number)[] | undefined {
  const steps: (string | number)[] = [];
  const step = /\.([^.[\]*]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;
  step.lastIndex = 1;
  if (!path.startsWith('$')) return undefined;
  while (step.lastIndex < path.length) {
    const found = step.exec(path);
    if (!found || steps.length === MAX_STEPS) return undefined;
    const [, name, position, single, double] = found;
    steps.push(position === undefined ? (name ?? unescaped(single ?? double ?? '')) : Number(position));
  }
  return steps.length > 0 ? steps : undefined;
}

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const unescaped = (name: string): string =>
  name.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, code?: string, sign = '') =>
    code === undefined ? (CONTROLS[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16)),
  );

function valueIn({ stringValue, numberValue, boolValue, nullValue }: Schema): unknown {
  if (typeof stringValue === 'string') return stringValue;
  if (typeof numberValue === 'number') return numberValue;
  if (typeof boolValue === 'boolean') return boolValue;
  return nullValue === undefined ? undefined : null;
}

function place(root: MutableSchema, steps: readonly (string | number)[], value: unknown, goesOn: boolean): boolean {
  let target: unknown = root;
  for (const [at, step] of steps.entries()) {
    const isLast = at === steps.length - 1;
    const here = getMember(target, step);
    const next = isLast ? joined(here, value, goesOn) : (here ?? (typeof steps[at + 1] === 'number' ? [] : {}));
    if (!setMember(target, step, next)) return false;
    target = next;
  }
  return true;
}

const joined = (here: unknown, value: unknown, goesOn: boolean): unknown =>
  goesOn && typeof here === 'string' && typeof value === 'string' ? here + value : value;

const getMember = (target: unknown, step: string | number): unknown =>
  typeof step === 'number'
    ? Array.isArray(target)
      ? target[step]
      : undefined
    : isRecord(target)
      ? own(target, step)
      : undefined;

/** Lists grow by one: a gap would mean a value that was lost. */
function setMember(target: unknown, step: string | number, value: unknown): boolean {
  if (typeof step === 'number') {
    if (!Array.isArray(target) || step > target.length) return false;
    target[step] = value;
    return true;
  }
  if (!isRecord(target)) return false;
  setOwn(target as MutableSchema, step, value);
  return true;
}
