import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { adminActor } from '../../shared/access/scopes.ts';
import { createDiscover } from '../../shared/adapters/files/discover.ts';
import { jsonLog } from '../../shared/adapters/files/json-log.ts';
import { nodeGauge } from '../../shared/adapters/node/gauge.ts';
import { createPluginHost } from '../../shared/adapters/node/plugin-host.ts';
import type { AssayPorts } from '../../shared/assay.ts';
import { executeTool } from '../../shared/execute/execute.ts';
import type { CallExtras } from '../../shared/kernel/ports.ts';
import type { CallRecord } from '../../shared/model/call-record.ts';
import type { Actor } from '../../shared/model/key.ts';
import { testAssay } from '../support/assay.ts';
import { giveTime, toolsAssay, toolsForAll } from '../support/execution.ts';
import { doublingSchema } from '../support/schemas.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const admin: Actor = { keyId: 'admin', tenant: 'default', scopes: new Set(['admin']) };

/** A registry whose plugins are the functions given, as source text, in one module. */
const withPlugins = async (
  t: { after(clean: () => Promise<void>): void },
  functions: Readonly<Record<string, string>>,
  ports: Partial<AssayPorts> = {},
) => {
  const root = await temporaryDirectory(t);
  const tools = Object.entries(functions).map(
    ([name, execute]) => `{
      definition: { name: '${name}', description: 'Does ${name}', parameters: { type: 'object' }, timeout_seconds: ${name.startsWith('endless') ? 1 : 20} },
      execute: ${execute},
    }`,
  );
  await writeFile(join(root, 'tools.mjs'), `let calls = 0;\nexport const tools = [${tools.join(',')}];`);
  const gauge = nodeGauge();
  const discover = createDiscover({
    root,
    configFile: join(root, 'none.json'),
    configRequired: false,
    pluginsDir: root,
    load: createPluginHost({ gauge, silentMs: 400 }).load,
  });
  const made = await testAssay({ discover, gauge, ...ports });
  const call = (name: string, args: object = {}, extras: CallExtras = {}) =>
    executeTool(made.assay, admin, { name, arguments: args }, undefined, { approvedBy: 'admin', ...extras });
  return { ...made, call, root };
};

describe('a plugin runs in a separate process', () => {
  test('a plugin process answers, keeps its state, and reports its CPU and memory', async (t) => {
    const { call, assay, json } = await withPlugins(t, {
      add: 'async ({ a, b }, { tenant, tool }) => ({ sum: a + b, tenant, tool: tool.name, calls: ++calls })',
      burn: `async () => {
        const used = () => process.threadCpuUsage().user / 1000;
        const end = used() + 100;
        while (used() < end) for (let n = 0; n < 1e5; n++) Math.sqrt(n);
      }`,
    });

    assert.deepEqual((await call('add', { a: 1, b: 2 })).output, { sum: 3, tenant: 'default', tool: 'add', calls: 1 });
    assert.deepEqual((await call('add', { a: 1, b: 2 })).output, { sum: 3, tenant: 'default', tool: 'add', calls: 2 });
    await call('burn');

    assert.deepEqual(assay.report().skipped, []);
    const { body } = await json<{ executions: CallRecord[] }>('GET', '/v1/executions?tool=burn');
    assert.ok((body.executions[0]?.cpu_ms ?? 0) > 50, `its own CPU time is told, got ${body.executions[0]?.cpu_ms}`);
  });

  test('a plugin that exits, throws in a timer or never returns fails, and the next call works', async (t) => {
    const { call } = await withPlugins(t, {
      exits: 'async () => process.exit(3)',
      later:
        'async () => { setTimeout(() => { throw new Error("nobody catches this"); }, 5); return new Promise(() => {}); }',
      endless_loop: 'async () => { for (;;); }',
      endless_wait: '() => new Promise(() => {})',
      text: 'async () => { throw "a text"; }',
      large: 'async () => "x".repeat(20 * 1024 * 1024)',
      fine: 'async () => "fine"',
    });

    const exits = await call('exits');
    assert.deepEqual(exits.error, { type: 'ProcessEnded', message: 'the tool ended its process with exit code 3' });
    assert.equal((await call('fine')).output, 'fine');
    assert.equal((await call('later')).error?.type, 'ProcessEnded');
    assert.equal((await call('endless_wait')).error?.type, 'Timeout');
    assert.equal((await call('endless_loop')).error?.type, 'Timeout');
    assert.equal((await call('text')).error?.message, 'a text');
    assert.equal((await call('large')).error?.type, 'OutputTooLarge');
    assert.equal((await call('fine')).output, 'fine');
  });

  test('a call that timed out before a plugin process was ready starts no plugin', async (t) => {
    const { assay, call } = await withPlugins(t, {
      exits: 'async () => process.exit(3)',
      stuck: 'async () => { for (;;); }',
      fine: 'async () => "fine"',
    });
    await call('exits');

    // The next call has to start a process, which takes longer than this caller waits.
    const { error } = await executeTool(assay, admin, { name: 'stuck', arguments: {} }, AbortSignal.timeout(1), {
      approvedBy: 'admin',
    });

    assert.equal(error?.type, 'Cancelled');
    assert.equal((await call('fine')).output, 'fine');
  });

  test('a plugin is notified when its call is cancelled, and logs and reports progress like any tool', async (t) => {
    const { assay, log } = await withPlugins(t, {
      talk: `async (_, { log, progress, signal }) => {
        log.info('from the plugin', { n: 1 });
        progress(1, 2, 'half');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        log.warn('ended');
        return 1;
      }`,
    });
    const seen: unknown[] = [];
    const caller = new AbortController();
    const progress = (...args: readonly unknown[]) => {
      seen.push(args);
      caller.abort();
    };

    const options = { approvedBy: 'admin', progress };
    const { error } = await executeTool(assay, admin, { name: 'talk', arguments: {} }, caller.signal, options);

    assert.equal(error?.type, 'Cancelled');
    assert.deepEqual(seen, [[1, 2, 'half']]);
    assert.ok(log.lines.some(({ message, fields }) => message === 'from the plugin' && fields.n === 1));
  });

  test('X.18 what a plugin logs cannot end the server', async (t) => {
    const lines: string[] = [];
    const log = jsonLog((text) => lines.push(...text.trimEnd().split('\n')));
    const { call } = await withPlugins(
      t,
      {
        talk: `async (_, { log, progress }) => {
          log.info('a number', { n: 1n });
          const circle = {};
          circle.circle = circle;
          log.info('a circle', circle);
          log.info('a text', 'as fields');
          progress('many', {}, 7);
          return 'said';
        }`,
      },
      { log },
    );
    const progress = (): void => {
      throw new Error('nobody listens');
    };

    assert.equal((await call('talk', {}, { progress })).output, 'said');

    log.flush();
    const said = lines
      .map((line) => JSON.parse(line) as { readonly message: string; readonly value?: unknown })
      .filter(({ message }) => message.startsWith('a ') || message.startsWith('message'));
    assert.deepEqual(
      said.map(({ message }) => message),
      ['a number', 'a circle', 'a text', 'message of a plugin not passed on'],
    );
    assert.equal(said[2]?.value, 'as fields');
  });

  test('a plugin that hangs or exits while loading is skipped', async (t) => {
    const root = await temporaryDirectory(t);
    await writeFile(join(root, 'a.mjs'), 'process.exit(0);');
    await writeFile(join(root, 'b.mjs'), 'await new Promise(() => {}); export const tools = [];');
    await writeFile(join(root, 'c.mjs'), 'export const tools = [{ definition: { name: "x" } }, 7];');
    const gauge = nodeGauge();
    // The one that hangs takes all of its time; the others have as much as they need on a busy machine.
    const [hasty, patient] = [500, 120_000].map((loadMs) => createPluginHost({ gauge, loadMs }));
    const load = async (file: string) => (await (file.endsWith('b.mjs') ? hasty : patient)?.load(file)) ?? [];
    const discover = createDiscover({
      root,
      configFile: join(root, 'none'),
      configRequired: false,
      pluginsDir: root,
      load,
    });

    const { assay } = await testAssay({ discover });

    const { skipped, registered } = assay.report();
    assert.deepEqual(registered, []);
    assert.equal(skipped.length, 4);
    assert.match(skipped[0]?.reason ?? '', /exit code 0/);
  });

  test('a plugin is loaded again on reload', async (t) => {
    const { call, assay, root } = await withPlugins(t, { version: 'async () => 1' });
    const before = (await call('version')).output;
    await writeFile(
      join(root, 'tools.mjs'),
      `export const tools = [{ definition: { name: 'version', description: 'v', parameters: { type: 'object' } }, execute: async () => 2 }];`,
    );

    await assay.reload(adminActor());

    assert.deepEqual([before, (await call('version')).output], [1, 2]);
  });
});

describe('a builtin that blocks runs in a process that can be killed', () => {
  const tools = toolsForAll();
  const hostile: readonly (readonly [string, string, object])[] = [
    ['recurses for ever', 'json_query', { data: {}, expression: '($f := function($x) { $f($x + 1) }; $f(1))' }],
    ['backtracks for ever', 'json_query', { data: `${'a'.repeat(40)}!`, expression: '$match($, /^(a+)+$/)' }],
    ['takes exponential time', 'json_validate', { data: {}, schema: doublingSchema(40) }],
  ];
  for (const [what, tool, args] of hostile)
    test(`an expression that ${what} is killed at the timeout, and the server keeps answering`, async () => {
      const { assay, invoke } = tools();
      giveTime(assay, tool, 1);
      let turns = 0;
      const beat = setInterval(() => turns++, 5);

      const { body } = await invoke(tool, args);
      clearInterval(beat);

      assert.equal((body.error as unknown as { type: string }).type, 'Timeout');
      assert.ok(turns > 5, `the event loop turned ${turns} times`);
      giveTime(assay, 'json_query', 300);
      assert.equal((await invoke('json_query', { data: { a: 2 }, expression: 'a * 21' })).body.status, 'ok');
    });

  test('a builtin that exhausts its memory fails only its own call', async (t) => {
    // Sooner full than as much as there is otherwise.
    const { invoke, assay } = await toolsAssay(t, {}, { memoryMb: 48 });
    giveTime(assay, 'json_query', 300);
    const expression = '($grow := function($x) { $grow($append($x, $x)) }; $grow([1..1000]))';

    const { body } = await invoke('json_query', { data: {}, expression });

    assert.equal((body.error as unknown as { type: string }).type, 'OutOfMemory');
    assert.equal((await invoke('json_query', { data: 1, expression: '$ + 1' })).body.status, 'ok');
  });

  test('concurrent calls of a builtin beyond its processes wait for their turn', async () => {
    const { assay, invoke } = tools();
    giveTime(assay, 'json_query', 300);
    const calls = Array.from({ length: 20 }, (_, n) => invoke('json_query', { data: n, expression: '$ * 2' }));

    const outputs = (await Promise.all(calls)).map(({ body }) => (body.output as { result: number }).result);

    assert.deepEqual(
      outputs,
      Array.from({ length: 20 }, (_, n) => n * 2),
    );
  });
});
