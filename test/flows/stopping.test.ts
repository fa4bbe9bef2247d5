import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { listen } from '../../functions/cli/listen.ts';
import { adminActor } from '../../shared/access/scopes.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { systemTimers } from '../../shared/adapters/system-timers.ts';
import { executeTool } from '../../shared/execute/execute.ts';
import type { Table, Timers } from '../../shared/kernel/ports.ts';
import type { Outcome } from '../../shared/model/call.ts';
import type { CallRecord } from '../../shared/model/call-record.ts';
import { type memoryLog, testAssay } from '../support/assay.ts';
import { assayWith } from '../support/execution.ts';
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

/** Patience passes a hundred times faster. */
const hasty: Timers = { ...systemTimers, after: (ms, work, ref) => systemTimers.after(ms / 100, work, ref) };

describe('calls in progress when the server stops', () => {
  test('R1.24 a call that runs on is cancelled, and its record stored before the table closes', async () => {
    const { assay, log, table, runs } = await hangingAssay();
    const running = executeTool(assay, adminActor(), { name: 'hang', arguments: {} });
    while (runs.begun === 0) await turn();

    await assay.close();

    const { status, error } = await running;
    assert.deepEqual([status, error?.type], ['failed', 'Cancelled']);
    assert.equal(await countCalls(table), 1);
    assert.deepEqual(errorsOf(log), []);
  });

  test('R1.24 a call that would begin while the server closes is refused, and does not run', async () => {
    const { assay, log, table, runs } = await hangingAssay();
    await assay.close();

    await assert.rejects(executeTool(assay, adminActor(), { name: 'hang', arguments: {} }), /is stopping; try again/);

    assert.equal(runs.begun, 0);
    assert.equal(await countCalls(table), 0);
    assert.deepEqual(errorsOf(log), []);
  });

  test('a decision whose caller leaves is recorded as cancelled, and is no unexpected error', async () => {
    const { assay, app, log } = await testAssay();
    const leaving = new AbortController();
    const answer = app.request('/v1/decide', {
      method: 'POST',
      headers: { authorization: 'Bearer admin-key-for-tests', 'content-type': 'application/json' },
      body: JSON.stringify({ task: 'How warm is it in Rome?' }),
      signal: leaving.signal,
    });
    leaving.abort();

    assert.equal((await answer).status, 502);
    await assay.close();

    assert.deepEqual(errorsOf(log), []);
  });

  test('a server that stops waits until the requests of callers that left are handled', async () => {
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isHandled = false;
    const fetchSlowly = async (): Promise<Response> => {
      begun.resolve();
      await end.promise;
      isHandled = true;
      return new Response('late');
    };
    const server = await listen({ fetch: fetchSlowly }, '127.0.0.1', 0);
    const leaving = new AbortController();
    const left = assert.rejects(fetch(server.address, { signal: leaving.signal }));
    await begun.promise;
    leaving.abort();
    await left;

    setTimeout(end.resolve, 50);
    await server.close();

    assert.equal(isHandled, true);
  });

  test('a server that stops during decisions and its warm-up logs no error and no warning', async (t) => {
    const cwd = await temporaryDirectory(t);
    const served = await serveAssay({ cwd, env });
    t.after(() => served.child.kill('SIGKILL'));
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const asked = Array.from({ length: 4 }, (_, n) =>
      fetch(`${served.address}/v1/decide`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ task: `What is ${n} miles in kilometres?` }),
        signal: leaving.signal,
      }),
    );
    await (await fetch(`${served.address}/`)).text();
    const stopped = served.stop();
    leaving.abort();
    await Promise.allSettled(asked);
    await stopped;

    assert.doesNotMatch(await served.ended, /"level":"(error|warn)"|signal/);
    assert.match(await served.ended, /^exit code 0/);
  });
});

/** A tool that never answers. */
const hangingAssay = async () => {
  const [table, runs] = [memoryTable(), { begun: 0 }];
  const hang = () => {
    runs.begun++;
    return new Promise<never>(() => {});
  };
  return {
    ...(await assayWith({ hang }, { timers: hasty, table, definition: { timeout_seconds: 600 } })),
    table,
    runs,
  };
};

const errorsOf = ({ lines }: ReturnType<typeof memoryLog>) => lines.filter(({ level }) => level === 'error');

const countCalls = async (table: Table): Promise<number> => {
  const { items } = await table.scan('T#default#CALLS#');
  return items.length;
};
