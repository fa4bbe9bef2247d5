import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { listen } from '../../functions/cli/listen.ts';
import { ADMIN_KEY, testAssay } from '../support/assay.ts';
import { conformanceHandlers, conformanceTools } from '../support/conformance-tools.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Those of the suite that concern tools and the protocol itself; we serve no prompts, and resources only as links. */
const scenarios = [
  'server-initialize',
  'ping',
  'logging-set-level',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-with-logging',
  'tools-call-error',
  'tools-call-with-progress',
  'tools-call-sampling',
  'tools-call-elicitation',
  'json-schema-2020-12',
  'resources-list',
  'dns-rebinding-protection',
];

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  readonly errorMessage?: string;
}

test('the MCP conformance suite passes for tools and the protocol', async (t) => {
  const folder = await temporaryDirectory(t);
  const { app } = await testAssay({
    discover: async () => [conformanceTools],
    handlers: { builtin: conformanceHandlers, internal: new Map() },
  });
  // The suite knows no keys.
  const fetch = (request: Request, env?: unknown) => {
    const headers = new Headers(request.headers);
    headers.set('authorization', `Bearer ${ADMIN_KEY}`);
    return app.fetch(new Request(request, { headers }), env as never);
  };
  const server = await listen({ fetch } as typeof app, '127.0.0.1', 0);
  t.after(() => server.close());

  const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
  await promisify(execFile)(process.execPath, [
    suite,
    ...['server', '--suite', 'all', '--url', `${server.address}/mcp`, '-o', folder],
  ]).catch(() => {});

  const folders = await readdir(folder);
  for (const scenario of scenarios) {
    const found = folders.find((name) => name.startsWith(`server-${scenario}-2`)) ?? '';
    await t.test(scenario, async () => {
      const checks: readonly Check[] = JSON.parse(await readFile(join(folder, found, 'checks.json'), 'utf8'));
      const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
      assert.ok(checks.some(({ status }) => status === 'SUCCESS'));
      assert.deepEqual(bad, []);
    });
  }
});
