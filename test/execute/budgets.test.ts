import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { giveTime, toolsAssay, toolsForAll } from '../support/execution.ts';

/** Characters that become as many cells as their square. */
const csvBomb = `${','.repeat(8000)}\n${'a\n'.repeat(4000)}`;

const quickChild = new URL('../support/quick-child.ts', import.meta.url);
const loop = { data: {}, expression: '($f := function($x) { $f($x + 1) }; $f(1))' };

describe('the work of a call is bounded', () => {
  const tools = toolsForAll();
  const invoke = (tool: string, args: object) => {
    giveTime(tools().assay, tool, 300);
    return tools().invoke(tool, args);
  };

  test('a CSV of 8001 columns and 4000 short rows is refused before its cells are made', async () => {
    const { body } = await invoke('csv_to_json', { csv: csvBomb });

    assert.deepEqual([body.status, body.charged_micros], ['failed', 0]);
    assert.match(
      body.error.message,
      /^csv has 4000 rows of 8001 columns, .* 4194304 bytes .*; send at most 31 rows at a time/,
    );
  });

  test('a CSV with repeated column names is read in linear time', async () => {
    const names = Array.from({ length: 60_000 }, () => 'a').join(',');

    const { body } = await invoke('csv_to_json', { csv: `${names}\n` });

    const { columns } = body.output as { columns: string[] };
    assert.deepEqual([columns[0], columns[1], columns.at(-1)], ['a', 'a_2', 'a_60000']);
  });

  test('X.07 a text of a gigabyte, made by repeating, is refused before it is written', async () => {
    const gigabyte = '[$pad("x", 500000000), $pad("y", 500000000)]';

    const { body } = await invoke('json_query', { data: {}, expression: gigabyte });

    assert.deepEqual([body.status, body.error.type], ['failed', 'OutputTooLarge']);
    assert.match(body.error.message, /^json_query returned more than 4194304 bytes of JSON/);
  });

  test('the diff of unrelated texts runs outside the server’s event loop', async () => {
    let turns = 0;
    const beat = setInterval(() => turns++, 5);
    const words = (word: string) => Array.from({ length: 1400 }, (_, n) => `${word}${n}`).join('\n');

    const { body } = await invoke('text_diff', { before: words('a'), after: words('b') });
    clearInterval(beat);

    assert.equal((body.output as { minimal: boolean }).minimal, false);
    assert.ok(turns > 5, `the event loop turned ${turns} times`);
  });

  test('a failed call counts its CPU time against the rate limit of its key', async (t) => {
    // Time stands still for the rate, so that nothing is earned back however long the calls take.
    const began = Date.now();
    const clock = { ...systemClock(), now: () => began + later };
    let later = 0;
    const { assay, json, ...made } = await toolsAssay(t, { clock }, { file: quickChild });
    giveTime(assay, 'json_query', 1);
    const rate = { per_second: 10, burst: 2 };
    const { body: caller } = await json<{ key: string }>('POST', '/v1/keys', { scopes: ['invoke'], rate });

    const { body: failed } = await made.invoke('json_query', loop, caller.key);
    const { status, body } = await made.invoke('hash', { text: 'a' }, caller.key);

    assert.deepEqual([failed.error.message, failed.charged_micros], ['json_query did not answer within 1 s', 0]);
    assert.deepEqual([status, body.error.code], [429, 'RateLimited']);
    const wait = Number((body.error.details as Record<string, number>).retry_after_seconds);
    assert.ok(wait > 0, `it waits ${wait} s for what it used`);
    later = wait * 1000 + 100;
    assert.equal((await made.invoke('hash', { text: 'a' }, caller.key)).status, 200);
  });
});
