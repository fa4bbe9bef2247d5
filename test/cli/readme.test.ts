import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runAssay, serveAssay } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const from = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Times, keys and folders differ from run to run; bars and numbers do not. */
const stable = (text: string): string =>
  text
    .replaceAll(/ +\d+$/gm, '')
    .replaceAll(/ +MS$/gm, '')
    .replaceAll(/(key=lk_|key ak_)\S+/g, '$1…')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:8787')
    .replaceAll(/data +\S+/g, 'data .assay')
    .trim();

const DECIMAL = /\d+\.\d+/g;

/** The text with the other's decimals wherever they differ only in the last digit, which depends on the processor. */
const withDecimalsOf = (other: string, text: string): string => {
  const decimals = [...other.matchAll(DECIMAL)].map(([decimal]) => decimal);
  let index = 0;
  return text.replaceAll(DECIMAL, (decimal) => {
    const near = decimals[index++] ?? decimal;
    const lastDigit = 10 ** -(decimal.length - 1 - decimal.indexOf('.'));
    return Math.abs(Number(near) - Number(decimal)) < 1.5 * lastDigit ? near : decimal;
  });
};

describe('the README', () => {
  let blocks: readonly string[] = [];
  before(async () => {
    const text = await readFile(from('README.md'), 'utf8');
    blocks = [...text.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '');
  });
  const blockWith = (words: string): string => {
    const found = blocks.find((block) => block.includes(words));
    assert.ok(found, `the README has no example with ${words}`);
    return found;
  };

  test('the README’s commands print what it shows', async (t) => {
    const cwd = await temporaryDirectory(t);
    await copyFile(from('test/golden/iqa/astronaut_jpeg_3.png'), join(cwd, 'photo.jpg'));
    await copyFile(from('test/golden/iqa/astronaut.png'), join(cwd, 'original.png'));
    const examples = blocks.filter((block) => block.startsWith('$ npx assay '));
    assert.equal(examples.length, 3);
    for (const example of examples) {
      const [command = '', ...printed] = example.split('\n');
      const args = [...command.slice('$ npx assay '.length).matchAll(/"([^"]*)"|(\S+)/g)].map(
        ([, quoted, plain]) => quoted ?? plain ?? '',
      );
      const { stdout, stderr } = await runAssay(args, { cwd });
      const expected = stable(printed.join('\n'));
      assert.equal(withDecimalsOf(expected, stable(stdout || stderr)), expected, stderr);
    }
  });

  test('the README’s greeting is what a first start prints, and its curl commands work there', async (t) => {
    const cwd = await temporaryDirectory(t);
    const served = await serveAssay({ cwd });
    t.after(() => served.stop());
    const [greeting = ''] = served.greeting.split('\n\nTry it:');
    assert.equal(stable(greeting), stable(blockWith('Assay is listening on')));

    const env = { ...process.env, ASSAY: served.address, KEY: served.adminKey ?? '' };
    const script = blockWith('curl -s $ASSAY/v1/tools ');
    const { stdout } = await promisify(execFile)('bash', ['-ec', script], { cwd, env });
    assert.match(stdout, /"id":"weather"/);
    assert.match(stdout, /"input_schema"/);
    assert.match(stdout, /"output":\{"temperature":21\}/);
  });
});
