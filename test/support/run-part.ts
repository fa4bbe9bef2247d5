import { relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { inspect, parseArgs } from 'node:util';
import './sample-properties.ts';

/**
 * Runs the given test files in this process, prints them as `node --test` does, and reports the results to the parent
 * process.
 */

export interface Counts {
  readonly tests: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export type Told =
  | { readonly kind: 'failed'; readonly file: string; readonly name: string; readonly error: string }
  | { readonly kind: 'ended'; readonly file: string; readonly ms: number }
  | { readonly kind: 'counted'; readonly counts: Counts };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'test-name-pattern': { type: 'string', multiple: true } },
});
const patterns = values['test-name-pattern'];
const tell = (told: Told): void => void process.send?.(told);
const fileOf = (file: string | undefined): string => relative('.', file ?? '');

const events = run({ files: positionals, isolation: 'none', ...(patterns && { testNamePatterns: patterns }) });
const counts = { tests: 0, passed: 0, failed: 0, skipped: 0 };
/** Suites and tests by number, so that a failure is reported with its suites. */
const begun = new Map<number, { readonly name: string; readonly parentId: number | undefined }>();
events.on('test:enqueue', ({ testId, name, parentId }) => begun.set(testId, { name, parentId }));
const pathOf = (id: number | undefined): readonly string[] => {
  const found = id === undefined ? undefined : begun.get(id);
  return found ? [...pathOf(found.parentId), found.name] : [];
};

events.on('test:pass', ({ file, nesting, skip, details }) => {
  if (nesting === 0) tell({ kind: 'ended', file: fileOf(file), ms: details.duration_ms });
  if (details.type === 'suite') return;
  counts.tests++;
  counts[skip === undefined ? 'passed' : 'skipped']++;
});
events.on('test:fail', ({ file, name, nesting, parentId, details: { duration_ms, error } }) => {
  if (nesting === 0) tell({ kind: 'ended', file: fileOf(file), ms: duration_ms });
  // A suite fails if one of its tests fails, which is already counted; a failed hook is not.
  const repeats = 'failureType' in error && error.failureType === 'subtestsFailed';
  if (repeats) return;
  counts.tests++;
  counts.failed++;
  const path = [...pathOf(parentId), name].join(' > ');
  tell({ kind: 'failed', file: fileOf(file), name: path, error: inspect(error.cause ?? error) });
});
events.on('test:summary', ({ success }) => {
  if (!success) process.exitCode = 1;
});
events.on('end', () => tell({ kind: 'counted', counts }));
events.compose(new spec()).pipe(process.stdout);
