import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type ToolsAssay, toolsAssay } from '../support/execution.ts';

/** Invokes and consents at once, as a person would. */
const consenting = async (made: ToolsAssay, tool: string, args: object) => {
  const asked = await made.invoke(tool, args);
  const details = asked.body.error?.details as unknown as { confirmation?: { token: string } } | undefined;
  const confirmation = details?.confirmation?.token;
  return confirmation === undefined ? asked : made.invoke(tool, args, undefined, { confirmation });
};

describe('the file tools', () => {
  test('file tools read, write after consent, and delete with a grant', async (t) => {
    const made = await toolsAssay(t);
    const { invoke, json, files } = made;

    assert.equal(
      (await invoke('file_write', { path: 'notes/a.txt', content: 'hello' })).body.error.code,
      'ConfirmationRequired',
    );
    assert.deepEqual(await readdir(files), []);
    const written = await consenting(made, 'file_write', { path: 'notes/a.txt', content: 'hello' });
    assert.deepEqual(written.body.output, { path: 'notes/a.txt', bytes: 5 });
    const read = await invoke('file_read', { path: 'notes/a.txt' });
    assert.deepEqual(read.body.output, { content: 'hello', bytes: 5, size: 5, more: false });
    const again = await consenting(made, 'file_write', { path: 'notes/a.txt', content: 'x' });
    assert.match((again.body.error as unknown as { message: string }).message, /is there already/);
    await consenting(made, 'file_write', { path: 'notes/a.txt', content: ' world', mode: 'append' });
    assert.equal(await readFile(join(files, 'notes/a.txt'), 'utf8'), 'hello world');

    assert.equal((await invoke('file_delete', { path: 'notes/a.txt' })).status, 403);
    await json('PUT', '/v1/grants/admin/file_delete', { expires_at: new Date(Date.now() + 60_000).toISOString() });
    assert.deepEqual((await invoke('file_delete', { path: 'notes/a.txt' })).body.output, {
      path: 'notes/a.txt',
      deleted: true,
    });
    assert.equal((await invoke('file_read', { path: 'notes/a.txt' })).body.status, 'failed');
  });

  test('file tools read large files in parts that end at whole characters', async (t) => {
    const { invoke, files } = await toolsAssay(t);
    await writeFile(join(files, 'text'), 'aäöü€😀'.repeat(3));
    let [text, offset, more] = ['', 0, true];
    while (more) {
      const { body } = await invoke('file_read', { path: 'text', offset, limit: 5 });
      const output = body.output as { content: string; bytes: number; more: boolean };
      text += output.content;
      offset += output.bytes;
      more = output.more;
    }

    assert.equal(text, 'aäöü€😀'.repeat(3));
    await writeFile(join(files, 'binary'), Buffer.from([0xff, 0xfe]));
    assert.equal((await invoke('file_read', { path: 'binary' })).body.status, 'failed');
    const { body } = await invoke('file_read', { path: 'binary', encoding: 'base64' });
    assert.equal((body.output as { content: string }).content, '//4=');
  });

  const escapes: readonly (readonly [string, number])[] = [
    ['../secret', 400],
    ['notes/../../secret', 400],
    ['/etc/passwd', 400],
    ['C:\\secret', 400],
    ['..\\secret', 400],
    ['a\0b', 400],
    ['./a', 400],
    ['a//b', 400],
    ['a/', 400],
    ['x'.repeat(300), 400],
    ['link/secret', 403],
    ['file-link', 403],
    ['inside-link', 403],
  ];
  for (const tool of ['file_read', 'file_write', 'file_delete'])
    test(`${tool} refuses every path outside its folder, runs nothing and leaves a record`, async (t) => {
      const { invoke, files, json } = await toolsAssay(t);
      const outside = join(files, '..', 'outside');
      await mkdir(outside);
      await writeFile(join(outside, 'secret'), 'secret');
      await writeFile(join(files, 'own'), 'own');
      await symlink(outside, join(files, 'link'));
      await symlink(join(outside, 'secret'), join(files, 'file-link'));
      await symlink(join(files, 'own'), join(files, 'inside-link'));

      for (const [path, status] of escapes) {
        const answer = await invoke(tool, tool === 'file_write' ? { path, content: 'x' } : { path });
        assert.equal(answer.status, status, `${JSON.stringify(path)} ${JSON.stringify(answer.body)}`);
      }

      assert.deepEqual(await readdir(outside), ['secret']);
      assert.equal(await readFile(join(outside, 'secret'), 'utf8'), 'secret');
      const { body } = await json<{ executions: { status: string }[] }>('GET', `/v1/executions?tool=${tool}`);
      assert.deepEqual([...new Set(body.executions.map(({ status }) => status))], ['refused']);
      assert.equal(body.executions.length, escapes.length);
    });

  test('file tools refuse folders and pipes without blocking on a pipe', async (t) => {
    const { invoke, files } = await toolsAssay(t);
    await mkdir(join(files, 'folder'));
    spawnSync('mkfifo', [join(files, 'pipe')]);

    for (const path of ['folder', 'pipe']) {
      const { body } = await invoke('file_read', { path });
      assert.deepEqual([body.status, (body.error as unknown as { type: string }).type], ['failed', 'InvalidInput']);
    }
  });

  test('file tools keep tenants apart', async (t) => {
    const made = await toolsAssay(t);
    await writeFile(join(made.files, 'mine'), 'mine');
    const acme = await made.key({ scopes: ['admin'], tenant: 'acme' });

    const { body } = await made.invoke('file_read', { path: 'mine' }, acme);

    assert.deepEqual([body.status, (body.error as unknown as { type: string }).type], ['failed', 'NotFound']);
  });
});
