import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const importsOf = async (file: string): Promise<readonly Import[]> => {
  const text = await readFile(join(root, file), 'utf8');
  const found = text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gms);
  return [...found].map(([, type, to = '']) => ({
    from: file,
    to: to.startsWith('.') ? normalize(join(dirname(file), to)) : to,
    typeOnly: type !== undefined,
  }));
};

const files = (await Array.fromAsync(glob('{shared,functions,infra}/**/*.{ts,tsx}', { cwd: root })))
  .map(normalize)
  .sort();
const imports = (await Promise.all(files.map(importsOf))).flat();

const core = /^shared\/(kernel|model|access|search|providers|iqa|registry|insight|execute|decide|plan|uploads)\//;
const worldly =
  /^(@aws-sdk\/|@hono\/|hono|onnxruntime-node|sharp|node:(fs|http|https|net|sqlite|child_process|worker_threads|os|process|dns|tls|dgram))/;

const offenders = (rule: (each: Import) => boolean): readonly string[] =>
  imports.filter(rule).map(({ from, to }) => `${from} -> ${to}`);

describe('arrows point inwards', () => {
  test('the scan sees the source', () => {
    assert.ok(files.length > 40);
    assert.ok(imports.length > 100);
  });

  test('the core reaches no SDK, no framework and no I/O', () => {
    assert.deepEqual(
      offenders(({ from, to }) => core.test(from) && worldly.test(to)),
      [],
    );
  });

  test('the model imports nothing but zod, the kernel and itself', () => {
    assert.deepEqual(
      offenders(
        ({ from, to }) => from.startsWith('shared/model/') && to !== 'zod' && !/^shared\/(model|kernel)\//.test(to),
      ),
      [],
    );
  });

  test('the core imports no adapter', () => {
    assert.deepEqual(
      offenders(({ from, to }) => core.test(from) && to.startsWith('shared/adapters/')),
      [],
    );
  });

  test('nothing in shared imports functions or infra', () => {
    assert.deepEqual(
      offenders(({ from, to }) => from.startsWith('shared/') && /^(functions|infra)\//.test(to)),
      [],
    );
  });

  test('infra imports neither shared nor functions', () => {
    assert.deepEqual(
      offenders(({ from, to }) => from.startsWith('infra/') && /^(functions|shared)\//.test(to)),
      [],
    );
  });

  test('the core reads no clock, no randomness and no environment', async () => {
    const found: string[] = [];
    for (const file of files.filter((each) => core.test(each))) {
      const text = (await readFile(join(root, file), 'utf8')).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      if (/\bDate\.now\(|new Date\(\)|Math\.random\(|process\.env|performance\.now\(/.test(text)) found.push(file);
    }
    assert.deepEqual(found, []);
  });

  test('only deps.ts and the process entries read the environment', async () => {
    const found: string[] = [];
    for (const file of files.filter((each) => each.startsWith('functions/') || each.startsWith('shared/'))) {
      const text = await readFile(join(root, file), 'utf8');
      if (/process\.env/.test(text) && !/\/(deps|main)\.ts$/.test(file)) found.push(file);
    }
    assert.deepEqual(found, []);
  });

  test('no file is past 250 lines', async () => {
    const long: string[] = [];
    for (const file of files) {
      const lines = (await readFile(join(root, file), 'utf8')).split('\n').length - 1;
      if (lines > 250) long.push(`${file}: ${lines}`);
    }
    assert.deepEqual(long, []);
  });
});
