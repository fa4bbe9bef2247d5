import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { commandRunner, runAssay, serveCli } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { aTool } from '../support/tools.ts';

describe('tools on the command line', () => {
  test('the CLI registers, lists, shows, invokes, disables and removes a server’s tools, with a key created there', async (t) => {
    const cwd = await temporaryDirectory(t);
    const { run, stop, address } = await serveCli(cwd);
    t.after(() => stop());
    await writeFile(join(cwd, 'tool.json'), JSON.stringify(aTool({ version: '1.0.0' })));

    assert.match(
      (await run('tools', 'register', 'tool.json')).stdout,
      /^registered weather_lookup@1\.0\.0 {2}[0-9a-f]{12}\n$/,
    );
    const list = await run('tools', 'list', 'weather');
    assert.match(list.stdout, /^NAME +VERSION +STATE +CATEGORY +DESCRIPTION\nweather_lookup +1\.0\.0 +enabled/);
    const shown = JSON.parse((await run('tools', 'show', 'weather_lookup', '--json')).stdout) as { id: string };
    assert.equal(shown.id, 'weather_lookup@1.0.0');
    const pairs = await run('invoke', 'weather_lookup', 'city=Bern', '--json');
    assert.deepEqual((JSON.parse(pairs.stdout) as { output: unknown }).output, { temperature: 21 });
    const wrong = await run('invoke', 'weather_lookup', '--arguments', '{"city": 5}');
    assert.deepEqual([wrong.code, /city must be string/.test(wrong.stderr)], [1, true]);
    assert.match((await run('tools', 'disable', 'weather_lookup')).stdout, /is disabled/);
    assert.ok(!(await run('tools', 'list')).stdout.includes('weather_lookup'));
    assert.match((await run('tools', 'versions', 'weather_lookup')).stdout, /1\.0\.0 +default/);
    assert.equal((await run('tools', 'remove', 'weather_lookup')).code, 0);
    assert.equal((await run('tools', 'show', 'weather_lookup')).code, 1);

    const made = await run('keys', 'create', '--scopes', 'read', '--json');
    const { key } = JSON.parse(made.stdout) as { key: string };
    const asReader = { cwd, env: { ASSAY_URL: address, ASSAY_KEY: key } };
    assert.equal((await runAssay(['tools', 'list', '--json'], asReader)).code, 0);
    const refused = await runAssay(['keys', 'list'], asReader);
    assert.deepEqual([refused.code, /this call needs (tenant_)?admin/.test(refused.stderr)], [1, true]);
  });

  test('R4.09a a tool that one CLI process stores is found by the next, and a snapshot moves it elsewhere', async (t) => {
    const [here, there] = [await temporaryDirectory(t), await temporaryDirectory(t)];
    await runAssay(['tools', 'register', '-'], {
      cwd: here,
      input: JSON.stringify([aTool(), aTool({ name: 'second' })]),
    });

    await runAssay(['snapshot', 'export', join(there, 'all.json')], { cwd: here });
    const imported = await runAssay(['snapshot', 'import', 'all.json'], { cwd: there });

    assert.equal(imported.stdout, '2 tools imported\n');
    const { tools } = JSON.parse(
      (await runAssay(['tools', 'list', '--json', '--allowed', 'weather_lookup,second'], { cwd: there })).stdout,
    ) as { tools: unknown[] };
    assert.equal(tools.length, 2);
  });

  test('the CLI exits with 2 for usage errors and 1 for refusals, with a suggestion', async (t) => {
    const cwd = await temporaryDirectory(t);
    await runAssay(['tools', 'register', '-'], { cwd, input: JSON.stringify(aTool()) });
    const runIn = commandRunner(t);
    const run = (...args: string[]) => runIn(args, { cwd });

    for (const [args, code, message] of [
      [['tols'], 2, /no command tols/],
      [['tools'], 2, /assay tools needs one of: list, show/],
      [['tools', 'list', '--colour'], 2, /--colour/],
      [['tools', 'show'], 2, /NAME is missing/],
      [['tools', 'show', 'weather_lokup'], 1, /NotFound: no tool named "weather_lokup"; did you mean weather_lookup\?/],
      [['tools', 'register', 'nowhere.json'], 1, /there is no file nowhere\.json/],
      [['invoke', 'weather_lookup', 'city'], 2, /not of the form name=value/],
      [['tools', 'list', '--url', 'http://127.0.0.1:1'], 2, /--url needs --key/],
      [['serve', '--port', 'x'], 2, /not a port/],
    ] as const) {
      const finished = await run(...args);
      assert.equal(finished.code, code, `${args.join(' ')}: ${finished.stderr}`);
      assert.match(finished.stderr, message);
    }
  });

  test('a data directory that cannot be written is reported in one line', async (t) => {
    const cwd = await temporaryDirectory(t);
    await writeFile(join(cwd, 'file'), 'x');

    // In /proc no folder can be made, and a recursive mkdir of Node's never returns.
    for (const folder of [join(cwd, 'file', 'inside'), ...(process.platform === 'linux' ? ['/proc/assay'] : [])]) {
      const { code, stderr } = await runAssay(['tools', 'list', '--data', folder], { cwd });
      assert.equal(code, 1);
      assert.match(stderr, /^Unavailable: the data directory .* cannot be made/);
    }
  });
});
