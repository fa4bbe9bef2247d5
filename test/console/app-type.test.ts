import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { testAssay } from '../support/assay.ts';

/** The calls of a type, which is gone when it runs: read from its source. */
const typedCalls = async (): Promise<readonly string[]> => {
  const source = await readFile(new URL('../../functions/api/app-type.ts', import.meta.url), 'utf8');
  const calls = /type Calls = \{\n([\s\S]*?)\n\};/.exec(source)?.[1] ?? '';
  return calls.split(/^ {2}(?=')/m).flatMap((part) => {
    const path = /^'(\/[^']+)'/.exec(part)?.[1]?.replaceAll(/:(\w+)/g, '{$1}');
    return path === undefined ? [] : [...part.matchAll(/\$(\w+):/g)].map(([, method]) => `${method} ${path}`);
  });
};

test('every call of the typed client is one of the API', async () => {
  const { json } = await testAssay();
  const { body } = await json<{ paths: Record<string, Record<string, unknown>> }>('GET', '/openapi.json');
  const described = new Set(
    Object.entries(body.paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`)),
  );

  const typed = await typedCalls();

  assert.ok(typed.length >= 25, typed.join());
  assert.deepEqual(
    typed.filter((call) => !described.has(call)),
    [],
  );
});
