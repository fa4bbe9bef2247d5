import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { runAssay, serveAssay } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** The blocks of a section, by language, with the printed port replaced by a free one. */
const blocksOf = async (heading: string, port: number) => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const section = readme.split(`### ${heading}\n`)[1]?.split(/\n##+ /)[0] ?? '';
  const blocks = [...section.matchAll(/```(\w+)\n(.*?)```/gs)];
  return (language: string): readonly string[] =>
    blocks.filter(([, each]) => each === language).map(([, , text = '']) => text.replaceAll('8787', String(port)));
};

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

test('X.18 the plugin, the configuration and the source of the README work as printed', async (t) => {
  const port = await freePort();
  const blocks = await blocksOf('Your own tools', port);
  const [plugin = ''] = blocks('js');
  const [config = ''] = blocks('json');
  const [commands = '', added = ''] = blocks('sh');
  const cwd = await temporaryDirectory(t);
  await mkdir(join(cwd, 'plugins'));
  await writeFile(join(cwd, 'plugins/shout.js'), plugin);
  await writeFile(join(cwd, 'assay.config.json'), config);
  const [serve = '', ...invokes] = commands.trim().split('\n');
  const words = serve.split(' ');
  const env = Object.fromEntries(words.filter((word) => word.includes('=')).map((word) => word.split('=')));
  assert.deepEqual(words.slice(-2), ['assay', 'serve']);

  const server = await serveAssay({ cwd, env, port });
  t.after(() => server.stop('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  const key = server.adminKey ?? '';
  const invoke = (line: string) =>
    runAssay([...line.split(' ').slice(1), '--json', '--url', url, '--key', key], { cwd });
  for (let tries = 0; tries < 400; tries += 1) {
    const answer = await fetch(`${url}/v1/sources/self`, { headers: { authorization: `Bearer ${key}` } });
    if (((await answer.json()) as { status?: string }).status === 'ok') break;
    await wait(50);
  }
  const outputs: unknown[] = [];
  for (const line of invokes) {
    const { code, stdout, stderr } = await invoke(line);
    assert.equal(code, 0, `${line}: ${stderr}${stdout}`);
    outputs.push((JSON.parse(stdout) as { output: unknown }).output);
  }
  assert.deepEqual(outputs, [{ text: 'HELLO!' }, 'hello', { status: 'ok' }]);

  const { stdout } = await promisify(execFile)('sh', ['-c', `KEY=${key}; ${added}`], { cwd });
  const state = JSON.parse(stdout) as { status: string; tools: number; has_secret: boolean };
  assert.deepEqual([state.status, state.has_secret], ['ok', true], stdout);
  assert.ok(state.tools > 50);
});
