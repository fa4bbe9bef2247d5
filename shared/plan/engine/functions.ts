import { createHash } from 'node:crypto';
import jsonata from 'jsonata';
import { seededRandom } from '../../kernel/seeded-random.ts';
import { StateError } from './state-error.ts';

/** The ports of the functions that are not pure. */
export interface FunctionPorts {
  readonly now: () => number;
  readonly random: () => number;
}

const ALGORITHMS: Readonly<Record<string, string>> = {
  MD5: 'md5',
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
};

const MAX_RANGE = 1000;

/** The functions that Step Functions adds to JSONata, its clock, and `$eval`, which Step Functions lacks. */
export function stateFunctions(ports: FunctionPorts): Readonly<Record<string, unknown>> {
  return {
    partition: (list: readonly unknown[], size: number) => partition(list, size),
    range: (start: number, end: number, step: number) => range(start, end, step),
    hash: (data: unknown, algorithm: string) => hash(data, algorithm),
    random: (seed?: number) => (seed === undefined ? ports.random() : seededRandom(seed)()),
    uuid: () => uuid(ports.random),
    parse: (text: string) => parse(text),
    eval: () => fail('$eval is not available in Step Functions; use $parse for JSON'),
    millis: () => ports.now(),
    now: (picture?: string, timezone?: string) => now(ports.now(), picture, timezone),
  };
}

function partition(list: readonly unknown[], size: number): unknown[][] {
  if (!Array.isArray(list) || !Number.isInteger(size) || size < 1)
    fail('$partition takes an array and a size of 1 or more');
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}

function range(start: number, end: number, step: number): number[] {
  if (![start, end, step].every(Number.isFinite) || step === 0) fail('$range takes start, end and a step other than 0');
  const count = Math.max(0, Math.floor((end - start) / step) + 1);
  if (count > MAX_RANGE) fail(`$range would make ${count} numbers, ${MAX_RANGE} are allowed`);
  return Array.from({ length: count }, (_, index) => start + index * step);
}

function hash(data: unknown, algorithm: string): string {
  const known = Object.hasOwn(ALGORITHMS, algorithm) ? ALGORITHMS[algorithm] : undefined;
  if (known === undefined) return fail(`$hash knows ${Object.keys(ALGORITHMS).join(', ')}, not ${algorithm}`);
  return createHash(known)
    .update(typeof data === 'string' ? data : JSON.stringify(data))
    .digest('hex');
}

function uuid(random: () => number): string {
  const bytes = Array.from({ length: 16 }, () => Math.floor(random() * 256));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const text = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fail('$parse was given text that is not JSON');
  }
}

async function now(millis: number, picture?: string, timezone?: string): Promise<string> {
  if (picture === undefined) return new Date(millis).toISOString();
  return jsonata('$fromMillis(millis, picture, timezone)').evaluate({ millis, picture, timezone });
}

function fail(reason: string): never {
  throw new StateError('States.QueryEvaluationError', reason);
}
