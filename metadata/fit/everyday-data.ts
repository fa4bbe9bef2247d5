import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DecideDeps } from '../../shared/decide/decision.ts';
import type { JsonObject, JsonSchema } from '../../shared/kernel/json.ts';
import type { Tool } from '../../shared/model/tool.ts';
import { depsFor } from './selection-data.ts';

/** An everyday request, the right tools for it (none if no tool fits) and their arguments. */
export interface Everyday {
  readonly catalogue: string;
  readonly query: string;
  readonly tools: readonly string[];
  readonly acceptable: Readonly<Record<string, readonly unknown[]>>;
  /** Whether it belongs to the held-out half, which was not looked at while the rules were written. */
  readonly kept: boolean;
}

interface Written {
  readonly c?: string;
  readonly q: string;
  readonly t: string | readonly string[] | null;
  readonly a?: JsonObject;
}

/** The time at which every request is made. */
export const NOW = Date.UTC(2026, 2, 10, 12);

/** Requests for the tools that Assay ships and for twenty made-up catalogues, with those catalogues. */
export const loadEveryday = async (
  toolsOfAssay = shippedTools,
): Promise<{
  readonly requests: readonly Everyday[];
  readonly catalogues: ReadonlyMap<string, DecideDeps>;
}> => {
  const shipped = await toolsOfAssay();
  const catalogues = new Map([['shipped', depsFor(shipped)]]);
  const made = JSON.parse(read('everyday-catalogues.json')) as Readonly<Record<string, readonly Compact[]>>;
  for (const [name, tools] of Object.entries(made)) catalogues.set(name, depsFor(tools.map(toolOf)));
  const requests = ['everyday-shipped.jsonl', 'everyday-catalogues.jsonl'].flatMap((file) =>
    read(file)
      .trim()
      .split('\n')
      .map((line) => requestOf(JSON.parse(line) as Written, shipped)),
  );
  return { requests, catalogues };
};

const read = (name: string): string => readFileSync(new URL(`../../test/bench/data/${name}`, import.meta.url), 'utf8');

const requestOf = ({ c = 'shipped', q, t, a = {} }: Written, shipped: readonly Tool[]): Everyday => ({
  catalogue: c,
  query: q,
  tools: (t === null ? [] : [t].flat()).flatMap((name) =>
    name.startsWith('@') ? shipped.flatMap((tool) => (tool.iqa?.type === name.slice(1) ? [tool.name] : [])) : [name],
  ),
  acceptable: Object.fromEntries(Object.entries(a).map(([name, value]) => [name, acceptable(value)])),
  kept: hash(q) % 2 === 1,
});

/** `{any: [...]}` lists the acceptable values; an empty string among them means that the parameter may be left out. */
const acceptable = (value: unknown): readonly unknown[] =>
  typeof value === 'object' && value !== null && 'any' in value ? (value.any as readonly unknown[]) : [value];

const hash = (text: string): number => {
  let sum = 7;
  for (const character of text) sum = (Math.imul(sum, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return sum >>> 5;
};

/** A tool as name, description, parameters (type or choices, and description) and the required ones. */
export type Compact = readonly [
  string,
  string,
  Readonly<Record<string, readonly [string | readonly string[], string]>>,
  string,
];

export const toolOf = ([name, description, parameters, required]: Compact): Tool => ({
  name,
  description,
  type: 'function',
  tags: [],
  parameters: {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(parameters).map(([key, [type, about]]) => [key, { ...schemaOf(type), description: about }]),
    ),
    required: required.split(' ').filter((each) => each !== ''),
  },
});

const schemaOf = (type: string | readonly string[]): JsonSchema => {
  if (typeof type !== 'string') return { type: 'string', enum: [...type] };
  return type === 'numbers' ? { type: 'array', items: { type: 'number' } } : { type };
};

/** What `assay tools list` shows in an empty data directory. */
const shippedTools = async (): Promise<readonly Tool[]> => {
  const data = await mkdtemp(join(tmpdir(), 'assay-everyday-'));
  const cli = fileURLToPath(new URL('../../functions/cli/assay.js', import.meta.url));
  try {
    const output = execFileSync(process.execPath, [cli, 'tools', 'list', '--json', '--data', data], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 60_000,
    });
    return (JSON.parse(output) as { tools: readonly { spec: Tool }[] }).tools.map(({ spec }) => spec);
  } finally {
    await rm(data, { recursive: true, force: true });
  }
};
