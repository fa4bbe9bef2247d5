import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../../shared/model/call.ts';
import type { CallRecord } from '../../shared/model/call-record.ts';
import { runAssay, type Served, serveAssay } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const KEY = 'an-admin-key-for-tests';
const env = { ASSAY_ADMIN_KEY: KEY };

interface Answered {
  readonly id: string;
  readonly at: number;
}

/** Calls on and on over several connections until the server is gone, and notes every answer. */
const invokeUntilGone = async (
  { address }: Served,
  tool: string,
  args: object,
  answered: Answered[],
): Promise<void> => {
  const body = JSON.stringify({ arguments: args });
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const caller = async (): Promise<void> => {
    for (;;) {
      const response = await fetch(`${address}/v1/tools/${tool}/invoke`, { method: 'POST', headers, body });
      const { call_id: id } = (await response.json()) as Outcome;
      answered.push({ id, at: Date.now() });
    }
  };
  await Promise.allSettled([caller(), caller(), caller(), caller()]);
};

const recorded = async (cwd: string): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>();
  const { stdout } = await runAssay(['executions', '--limit', '1000', '--json'], { cwd, env });
  for (const { call_id: id } of (JSON.parse(stdout) as { executions: CallRecord[] }).executions) ids.add(id);
  return ids;
};

/** Serves, lets callers call for a moment, ends the server by a signal, and tells what was answered and stored. */
const endedBy = async (
  t: { after(clean: () => Promise<void>): void },
  signal: NodeJS.Signals,
  tool: string,
  args: object,
) => {
  const cwd = await temporaryDirectory(t);
  const served = await serveAssay({ cwd, env });
  const answered: Answered[] = [];
  const calling = invokeUntilGone(served, tool, args, answered);
  while (answered.length < 40) await sleep(10);
  const killedAt = Date.now();
  await served.stop(signal);
  await calling;
  const stored = await recorded(cwd);
  // A page of records holds a thousand, in the order in which the calls began.
  const lost = answered.slice(-800).filter(({ id }) => !stored.has(id));
  return { lost, killedAt };
};

// registered without a price: file_read costs nothing
const unpriced = ['file_read', { path: 'nothing' }] as const;

describe('records when the server stops', () => {
  test('R1.24 SIGTERM keeps the records of all answered calls', async (t) => {
    const { lost } = await endedBy(t, 'SIGTERM', ...unpriced);

    assert.deepEqual(lost, []);
  });

  test('R1.24 kill -9 loses at most the last 50 ms of records of unpriced calls', async (t) => {
    const { lost, killedAt } = await endedBy(t, 'SIGKILL', ...unpriced);

    const early = lost.filter(({ at }) => at < killedAt - 50);
    assert.deepEqual(early, [], `${lost.length} lost in all`);
  });

  test('R1.24 kill -9 loses no record of a priced call', async (t) => {
    const { lost } = await endedBy(t, 'SIGKILL', 'hash', { text: 'x' });

    assert.deepEqual(lost, []);
  });
});
