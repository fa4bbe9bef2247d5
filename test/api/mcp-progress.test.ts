import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { ServerContext } from '@modelcontextprotocol/server';
import { reportProgress } from '../../functions/api/mcp/progress.ts';

interface Note {
  readonly params: { readonly progress: number; readonly message?: string };
}

/** A request that asks for progress, as far as reporting it needs. */
const asking = (token: string | undefined) => {
  const notes: Note[] = [];
  const mcpReq = {
    _meta: token === undefined ? {} : { progressToken: token },
    notify: async (note: Note) => void notes.push(note),
  };
  return { ctx: { mcpReq } as unknown as ServerContext, notes };
};

test('a tool that reports no progress is reported as running until it ends', async () => {
  const { ctx, notes } = asking('t');
  const report = reportProgress(ctx, 2);
  while (notes.length < 3) await setTimeout(1);
  report.stop();
  const count = notes.length;
  await setTimeout(10);

  assert.equal(notes.length, count);
  assert.deepEqual(
    notes.slice(0, 3).map(({ params }) => params.progress),
    [1, 2, 3],
  );
  assert.match(notes[0]?.params.message ?? '', /^running for /);
});

test('progress reported by the tool itself is not overridden, and nothing is sent after its end', async () => {
  const { ctx, notes } = asking('t');
  const report = reportProgress(ctx, 2);
  report.extras.progress?.(5, 10);
  await setTimeout(10);
  report.extras.progress?.(4, 10);
  report.stop();
  report.extras.progress?.(9, 10);

  assert.deepEqual(
    notes.map(({ params }) => params.progress),
    [5],
  );
});

test('a client that sent no progress token gets no progress', async () => {
  const { ctx, notes } = asking(undefined);
  const report = reportProgress(ctx, 1);
  assert.equal(report.extras.progress, undefined);
  await setTimeout(5);
  report.stop();

  assert.deepEqual(notes, []);
});
