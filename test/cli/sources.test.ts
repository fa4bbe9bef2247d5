import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { SourceView } from '../../shared/sources/view.ts';
import { serveCli } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const memory = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/server-memory/dist/index.js', import.meta.url),
);

test('X.16 assay serve reads a desktop client’s file, and its servers are sources that only the configuration changes', async (t) => {
  const folder = await temporaryDirectory(t);
  const env = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') };
  const desktop = {
    mcpServers: {
      'My Memory': { command: process.execPath, args: [memory], env },
      'switched off': { command: 'nothing', disabled: true },
    },
  };
  await writeFile(join(folder, 'desktop.json'), JSON.stringify(desktop));
  await writeFile(join(folder, 'assay.config.json'), JSON.stringify({ mcpServers: './desktop.json' }));
  const server = await serveCli(folder);
  // Also after a failure: a server that runs on would keep the tests from ending.
  t.after(() => server.stop());
  let shown: SourceView | undefined;
  // However slow the machine: a process for the server has to start.
  for (const until = Date.now() + 60_000; Date.now() < until && shown?.status !== 'ok'; ) {
    const { stdout } = await server.run('sources', 'show', 'my-memory', '--json');
    shown = stdout.startsWith('{') ? (JSON.parse(stdout) as SourceView) : undefined;
  }
  assert.equal(shown?.tools, 9);
  assert.equal(shown.origin, 'config');
  const listed = await server.run('sources', 'list');
  assert.match(listed.stdout, /my-memory +mcp +ok +9 +0/);
  const invoked = await server.run('invoke', 'my-memory_read_graph', '--json');
  assert.equal(invoked.code, 1);
  assert.match(invoked.stderr + invoked.stdout, /ConfirmationRequired/);
  assert.match((await server.run('sources', 'refresh', 'my-memory')).stdout, /ok, 9 tools/);
  assert.match((await server.run('sources', 'approve', 'my-memory')).stdout, /nothing waits/);
  const removed = await server.run('sources', 'remove', 'my-memory');
  assert.equal(removed.code, 1);
  assert.match(removed.stderr, /configured by the operator/);
  const command = await server.run('sources', 'add', 'shell', '--kind', 'mcp');
  assert.equal(command.code, 1);
  assert.match(command.stderr, /needs url/);
  assert.equal(await server.stop(), 0);
});
