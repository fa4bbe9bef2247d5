import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readWeights } from '../../shared/adapters/onnx/weight-files.ts';
import { graphMetric } from '../../shared/iqa/metrics.ts';
import { readSafetensors } from '../../shared/iqa/safetensors.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const file = graphMetric('lpips')?.weightsFile ?? assert.fail('lpips has no weights');
const shipped = new URL('../../metadata/models/lpips-alex.safetensors', import.meta.url);

describe('shipped weights', () => {
  test('shipped weights are read when their digest is the known one', () => {
    assert.deepEqual(readSafetensors(readWeights(file)).get('lin0.model.1.weight')?.shape, [1, 64, 1, 1]);
  });

  test('shipped weights that are altered by one bit, truncated or missing are refused and never score', async (t) => {
    const folder = await temporaryDirectory(t);
    const place = join(folder, 'weights.safetensors');
    const places = { [file.name]: pathToFileURL(place) };
    copyFileSync(shipped, place);
    const bytes = readFileSync(place);
    bytes[3_000_000] = (bytes[3_000_000] ?? 0) ^ 1;

    writeFileSync(place, bytes);
    assert.throws(() => readWeights(file, places), { name: 'Unavailable', message: /not those that ship/ });
    writeFileSync(place, bytes.subarray(0, 1000));
    assert.throws(() => readWeights(file, places), { name: 'Unavailable', message: /not those that ship/ });
    assert.throws(() => readWeights(file, { [file.name]: pathToFileURL(join(folder, 'none')) }), {
      name: 'Unavailable',
      message: /cannot be read/,
    });
  });

  test('a weights file with false lengths is refused', () => {
    const file = (header: unknown, body = 8): Uint8Array => {
      const text = Buffer.from(JSON.stringify(header));
      const size = Buffer.alloc(8);
      size.writeBigUInt64LE(BigInt(text.length));
      return Buffer.concat([size, text, Buffer.alloc(body)]);
    };
    const tensor = { dtype: 'F16', shape: [2, 2], data_offsets: [0, 8] };

    assert.equal(readSafetensors(file({ a: tensor })).get('a')?.data.length, 4);
    for (const broken of [
      new Uint8Array(4),
      new Uint8Array(16).fill(255),
      file({ a: tensor }, 6),
      file({ a: { ...tensor, shape: [2 ** 40, 2 ** 40] } }),
      file({ a: { ...tensor, shape: [-1, -4] } }),
      file({ a: { ...tensor, dtype: 'I8' } }),
    ])
      assert.throws(() => readSafetensors(broken), { name: 'Unavailable', message: /not a valid safetensors file/ });
  });
});
