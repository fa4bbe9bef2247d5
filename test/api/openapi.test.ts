import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { testAssay } from '../support/assay.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

describe('the OpenAPI document', () => {
  test('the OpenAPI document is accepted by Redocly’s linter', async (t) => {
    const { json } = await testAssay();
    const { body } = await json<Document>('GET', '/openapi.json');
    const file = join(await temporaryDirectory(t), 'openapi.json');
    await writeFile(file, JSON.stringify(body));
    const redocly = fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'));

    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [redocly, 'lint', '--extends=recommended', '--format=json', file],
      {
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
    ).catch((error: { stdout: string; stderr: string }) => error);

    const { totals, problems } = JSON.parse(stdout) as { totals: { errors: number }; problems: unknown[] };
    assert.equal(totals.errors, 0, JSON.stringify(problems, undefined, 1) + stderr);
    assert.equal(body.openapi, '3.1.0');
  });

  test('the OpenAPI document describes every route of the app, and nothing else', async () => {
    const { app, json } = await testAssay();
    const { body } = await json<Document>('GET', '/openapi.json');
    const described = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const open = new Set(['GET /healthz', 'GET /openapi.json']);
    const routed = app.routes
      .filter(({ path, method }) => method !== 'ALL' && !path.includes('*'))
      .map(({ path, method }) => `${method} ${path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}')}`)
      .filter((route) => route.includes(' /v1/') || open.has(route));

    assert.deepEqual(
      [...new Set(routed)].filter((route) => !open.has(route)).sort(),
      described.filter((route) => route.includes(' /v1/')).sort(),
    );
  });
});

test('every pattern of the OpenAPI document is valid in JSON Schema, without flags', async () => {
  const { app } = await testAssay();
  const patterns = [...(await (await app.request('/openapi.json')).text()).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)];
  assert.ok(patterns.length > 5);
  for (const [, text = ''] of patterns) {
    const pattern = JSON.parse(text) as string;
    assert.doesNotMatch(pattern, /\/[a-z]+$/);
    assert.doesNotThrow(() => new RegExp(pattern, 'u'));
  }
});
