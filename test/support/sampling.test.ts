import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const module = fileURLToPath(new URL('./sampling.ts', import.meta.url));
const ask = (knob: string): unknown => {
  const script = `const { sampleOf, tries } = await import(${JSON.stringify(module)});
console.log(JSON.stringify([tries(2, 50), sampleOf([1, 2, 3, 4, 5], 3)]));`;
  const env = { PATH: process.env.PATH, ASSAY_TEST: knob };
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' }));
};

describe('sampling of long suites', () => {
  test('npm test samples few runs, and items from first to last', () => {
    assert.deepEqual(ask(''), [2, [1, 3, 5]]);
  });

  test('npm run test:all runs all of them', () => {
    assert.deepEqual(ask('all'), [50, [1, 2, 3, 4, 5]]);
  });
});
