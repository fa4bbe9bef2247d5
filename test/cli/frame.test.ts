import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commandRunner, runAssay, serveCli } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { atTerminal, noTerminal } from '../support/terminal.ts';

describe('X.28 the command line', () => {
  test('assay has a version, help by group and by command, and suggestions for misspelt commands', async (t) => {
    const cwd = await temporaryDirectory(t);
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };

    assert.equal((await runAssay(['--version'], { cwd })).stdout, `${version}\n`);
    const run = commandRunner(t);
    for (const [args, code, said] of [
      [['--help'], 0, /\nPictures\n {2}score .*\n[\s\S]*\nTools\n {2}tools list [\s\S]*\nExamples\n/],
      [['help', 'runs', 'list'], 0, /^assay runs list \[--status/],
      [['help', 'runs'], 0, /assay runs list .*\n.*\nassay runs show/],
      [['invoke', '--help'], 0, /Examples\n {2}assay invoke unit_convert value=5/],
      [['help', 'keys', 'create'], 0, /\nOptions\n {2}--scopes LIST {3}read, invoke, .*\n/],
      [['scroe', 'a.png'], 2, /no command scroe; did you mean score\?/],
      [['score', 'a.png', '--limit', 'few'], 2, /--limit few is not a whole number/],
      [['tool'], 2, /no command tool; did you mean tools\?/],
      [['tools', 'lst'], 2, /not lst; did you mean list\?/],
      [['--jsn', 'tools', 'list'], 2, /no option --jsn; did you mean --json\?/],
      [['tools', 'list', '--log', 'xml'], 2, /--log xml is not known/],
    ] as const) {
      const finished = await run(args, { cwd });
      assert.equal(finished.code, code, `${args.join(' ')}: ${finished.stderr}`);
      assert.match(finished.stdout + finished.stderr, said);
    }
  });

  test('a server that cannot be reached is reported in one sentence', async (t) => {
    const env = { ASSAY_URL: 'http://127.0.0.1:9', ASSAY_KEY: 'any' };
    const { code, stderr } = await runAssay(['events', '--follow'], { cwd: await temporaryDirectory(t), env });

    assert.equal(code, 1);
    assert.match(stderr, /^Unavailable: the server at http:\/\/127\.0\.0\.1:9 cannot be reached \([^)]+\); .*\n$/);
  });

  test('an invalid tool in the configuration is one line of warning, JSON for machines, and not part of the result', async (t) => {
    const cwd = await temporaryDirectory(t);
    await writeFile(join(cwd, 'assay.config.json'), JSON.stringify({ tools: [{ name: 'bad one' }] }));

    const [plain, machine] = [
      await runAssay(['--json', 'tools', 'list', '--limit', '1'], { cwd }),
      await runAssay(['tools', 'list', '--log', 'json'], { cwd }),
    ];

    assert.match(plain.stderr, /^error: tool refused · source assay\.config\.json · name bad one · reason [^\n]*\n$/);
    assert.equal((JSON.parse(plain.stdout) as { tools: unknown[] }).tools.length, 1);
    assert.equal((JSON.parse(machine.stderr) as { message: string }).message, 'tool refused');
  });

  test('a closed output pipe does not stop a server, and does not fail a list', async (t) => {
    const cwd = await temporaryDirectory(t);
    const entry = fileURLToPath(new URL('../../functions/cli/assay.js', import.meta.url));
    const server = spawn(process.execPath, [entry, 'serve', '--port', '0'], { cwd });
    t.after(() => server.kill());
    const [greeting] = (await once(server.stdout, 'data')) as [Buffer];
    server.stdout.destroy();
    server.stderr.destroy();
    const address = /http:\/\/[\d.:]+/.exec(String(greeting))?.[0] ?? '';

    // Each leaves a line in the log, which nobody reads.
    for (let count = 0; count < 3; count++) assert.equal((await fetch(`${address}/healthz`)).status, 200);

    const pipe = `"${process.execPath}" "${entry}" tools list; echo $? > code`;
    execFileSync('sh', ['-c', `(${pipe}) | true`], { cwd });
    assert.equal((await readFile(join(cwd, 'code'), 'utf8')).trim(), '0');
  });

  test('a login is stored in a file only its owner can read, used by every command, and removed by logout', async (t) => {
    const { address, key, stop, cwd } = await serveCli(await temporaryDirectory(t));
    t.after(() => stop());
    const env = { XDG_CONFIG_HOME: join(cwd, 'config') };
    const runIn = commandRunner(t);
    const run = (...args: string[]) => runIn(args, { cwd, env });

    assert.equal((await run('login', '--url', address, '--key', 'ak_wrong')).code, 1);
    assert.equal((await run('login', '--url', address, '--key', key)).code, 0);
    const { mode } = await stat(join(cwd, 'config/assay/profiles.json'));
    assert.equal(mode & 0o777, 0o600);
    assert.match((await run('keys', 'list')).stdout, /first admin/);
    assert.equal((await run('open', '--print')).stdout, `${address}/#key=${key}\n`);
    assert.match((await run('keys', 'list', '--profile', 'defalt')).stderr, /did you mean default\?/);
    assert.equal((await run('logout')).code, 0);
    assert.equal((await run('login')).stdout.split(':')[0], 'logged in nowhere');
  });

  test('the shell completes commands and options', async (t) => {
    const cwd = await temporaryDirectory(t);
    const { stdout } = await runAssay(['completion', 'bash'], { cwd });
    await writeFile(join(cwd, 'completion.bash'), stdout);
    const completed = (words: string): string => {
      const script = `source completion.bash; COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _assay; echo "\${COMPREPLY[*]}"`;
      return execFileSync('bash', ['-c', script], { cwd, encoding: 'utf8' }).trim();
    };

    assert.equal(completed('assay tools re'), 'register remove');
    assert.equal(completed('assay compl'), 'completion');
    assert.equal(completed('assay score a.jpg --fail'), '--fail-under');
  });

  test('tables fit the terminal', { skip: noTerminal }, async (t) => {
    const shown = await atTerminal(await temporaryDirectory(t), 'tools list');

    const lines = shown.split(/\r?\n/);
    assert.ok(lines.length > 20);
    assert.deepEqual(
      lines.filter((line) => line.length > 100),
      [],
    );
  });
});
