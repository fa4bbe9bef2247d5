import { createHash } from 'node:crypto';
import * as z from 'zod';
import { exampleKey, examplesPk, examplesRevisionKey } from '../kernel/item-keys.ts';
import type { Item, Table, Write } from '../kernel/ports.ts';
import { put, read, readAll, stored } from '../kernel/stored.ts';
import { LearnedExample } from '../model/learned-example.ts';

/** The examples of one tool, learned from a tenant's use. */
const ToolExamples = z.object({
  tool: z.string(),
  examples: z.array(LearnedExample),
  /** Requests that succeeded under one key; success under a second key makes them examples. */
  pending: z.array(z.object({ id: z.string(), key: z.string(), at: z.iso.datetime() })),
});
export type ToolExamples = Readonly<z.infer<typeof ToolExamples>>;

export const ToolExamplesItem = stored<ToolExamples>({
  what: 'examples of a tool',
  schema: ToolExamples,
  cure: 'delete the examples of the tool',
});
const RevisionItem = stored({ what: 'revision of examples', schema: z.object({ revision: z.int() }) });

const MAX_EXAMPLES = 16;
const MAX_PENDING = 64;
const REQUEST_LIMIT = 300;

/** A decision that came out well, as one key reported it. */
export interface Lesson {
  readonly tool: string;
  readonly request: string;
  readonly key: string;
  readonly from: LearnedExample['from'];
  readonly at: string;
}

/** A tool's examples after a lesson: the newest, each request once. */
export const learnLesson = (before: ToolExamples, { request, key, from, at }: Lesson): ToolExamples => {
  const text = redactRequest(request);
  const id = exampleId(text);
  if (text === '' || before.examples.some((example) => example.id === id)) return before;
  const seen = before.pending.find((one) => one.id === id);
  const others = before.pending.filter((one) => one.id !== id);
  // One key may be wrong repeatedly: another key, or a person's rating, must agree.
  if (from === 'use' && (seen === undefined || seen.key === key))
    return { ...before, pending: [...others, { id, key, at }].slice(-MAX_PENDING) };
  const examples = [...before.examples, { id, request: text, from, at }].slice(-MAX_EXAMPLES);
  return { ...before, examples, pending: others };
};

/** The request without addresses, numbers and names that may be private; ranking reads none of them. */
export const redactRequest = (request: string): string =>
  request
    .slice(0, REQUEST_LIMIT * 4)
    .replaceAll(SECRET, '[redacted]')
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .slice(0, REQUEST_LIMIT);

const SECRET =
  /\S+@\S+|\b(?:sk|pk|ghp|xox[a-z]|AKIA|Bearer)[-_ ]?[\w-]{8,}|[\w+/=-]{24,}|(?:\+?\d[\d ().-]{5,}\d)|\d{6,}/giu;

const exampleId = (request: string): string =>
  createHash('sha256').update(request.toLowerCase()).digest('hex').slice(0, 16);

const nothingLearned = (tool: string): ToolExamples => ({ tool, examples: [], pending: [] });

/** Changes a tool's examples, and the tenant's revision where examples changed. */
export const changeExamples = (
  table: Table,
  tenant: string,
  tool: string,
  rule: (before: ToolExamples) => ToolExamples,
): Promise<ToolExamples> =>
  table.change([exampleKey(tenant, tool), examplesRevisionKey(tenant)], ([item, revision]) => {
    const before = item ? read(item, ToolExamplesItem) : nothingLearned(tool);
    const after = rule(before);
    if (after === before) return { writes: [], result: before };
    const isEmpty = after.examples.length === 0 && after.pending.length === 0;
    const key = exampleKey(tenant, tool);
    const writes: Write[] = [isEmpty ? { remove: key } : put(key, ToolExamplesItem, after)];
    if (after.examples !== before.examples)
      writes.push(put(examplesRevisionKey(tenant), RevisionItem, { revision: revisionOf(revision) + 1 }));
    return { writes, result: after };
  });

const revisionOf = (item: Item | undefined): number => (item ? read(item, RevisionItem).revision : 0);

/** The revision of a tenant's examples; 0 before the first. */
export const readExamplesRevision = async (table: Table, tenant: string): Promise<number> =>
  revisionOf(await table.get(examplesRevisionKey(tenant)));

/** All examples learned for a tenant. */
export const readExamples = async (table: Table, tenant: string): Promise<readonly ToolExamples[]> =>
  readAll((await table.query(examplesPk(tenant))).items, ToolExamplesItem);
