import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { onnxEngine } from '../../shared/adapters/onnx/engine.ts';
import { openPlain } from '../../shared/iqa/formats/plain-picture.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { goldenImage, testEngine } from '../support/iqa.ts';
import { recordingLog } from '../support/recording-log.ts';

interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  readonly rows: Uint8Array;
  readonly palette?: readonly number[];
  readonly masks?: readonly number[];
}

const bitmap = ({ width, height, bits, rows, palette = [], masks }: Bitmap): Buffer => {
  const size = masks ? 108 : 40;
  const head = Buffer.alloc(14 + size + 4 * palette.length);
  head.write('BM');
  head.writeUInt32LE(head.length + rows.length, 2);
  head.writeUInt32LE(head.length, 10);
  head.writeUInt32LE(size, 14);
  head.writeInt32LE(width, 18);
  head.writeInt32LE(height, 22);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(bits, 28);
  head.writeUInt32LE(masks ? 3 : 0, 30);
  head.writeUInt32LE(palette.length, 46);
  for (const [at, mask] of (masks ?? []).entries()) head.writeUInt32LE(mask, 54 + 4 * at);
  for (const [at, colour] of palette.entries()) head.writeUInt32LE(colour, 14 + size + 4 * at);
  return Buffer.concat([head, rows]);
};

const pixelsOf = (bytes: Uint8Array): readonly number[] => {
  const picture = openPlain(bytes) ?? assert.fail('not opened');
  const data = new Uint8Array(picture.width * picture.height * 3);
  picture.read(data);
  return [...data];
};

const RED_GREEN = [255, 0, 0, 0, 255, 0];

describe('bitmaps', () => {
  test('bitmaps of 1, 4, 8, 16, 24 and 32 bits give the same red and green', () => {
    const palette = [0xff0000, 0x00ff00];
    const rows = (...bytes: number[]) =>
      Uint8Array.from([...bytes, ...new Array((4 - (bytes.length % 4)) % 4).fill(0)]);
    const files = [
      bitmap({ width: 2, height: 1, bits: 1, rows: rows(0b0100_0000), palette }),
      bitmap({ width: 2, height: 1, bits: 4, rows: rows(0x01), palette }),
      bitmap({ width: 2, height: 1, bits: 8, rows: rows(0, 1), palette }),
      bitmap({ width: 2, height: 1, bits: 16, rows: rows(0x00, 0x7c, 0xe0, 0x03) }),
      bitmap({ width: 2, height: 1, bits: 16, rows: rows(0x00, 0xf8, 0xe0, 0x07), masks: [0xf800, 0x7e0, 0x1f, 0] }),
      bitmap({ width: 2, height: 1, bits: 24, rows: rows(0, 0, 255, 0, 255, 0) }),
      bitmap({ width: 2, height: 1, bits: 32, rows: rows(0, 0, 255, 0, 0, 255, 0, 0) }),
      bitmap({
        width: 2,
        height: 1,
        bits: 32,
        rows: rows(255, 0, 0, 255, 0, 255, 0, 255),
        masks: [0xff, 0xff00, 0xff0000, 0xff000000],
      }),
    ];

    for (const file of files) assert.deepEqual(pixelsOf(file), RED_GREEN, `${file.readUInt16LE(28)} bits`);
  });

  test('a bitmap’s rows run upwards, or downwards where its height is negative', () => {
    const rows = Uint8Array.from([1, 1, 1, 0, 2, 2, 2, 0]);

    assert.deepEqual(pixelsOf(bitmap({ width: 1, height: 2, bits: 24, rows })), [2, 2, 2, 1, 1, 1]);
    assert.deepEqual(pixelsOf(bitmap({ width: 1, height: -2, bits: 24, rows })), [1, 1, 1, 2, 2, 2]);
  });

  test('bitmaps composite transparency on white', () => {
    const masks = [0xff0000, 0xff00, 0xff, 0xff000000];
    const rows = Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 255]);

    assert.deepEqual(pixelsOf(bitmap({ width: 2, height: 1, bits: 32, rows, masks })), [255, 255, 255, 0, 0, 0]);
  });
});

describe('portable pixmaps and graymaps', () => {
  test('pixmaps and graymaps are read as binary and text, with comments, of 8 and 16 bits', () => {
    const text = (value: string, ...bytes: number[]): Uint8Array =>
      Buffer.concat([Buffer.from(value), Buffer.from(bytes)]);

    assert.deepEqual(pixelsOf(text('P6 2 1 255\n', ...RED_GREEN)), RED_GREEN);
    assert.deepEqual(pixelsOf(text('P6\n# made by hand\n2 1\n#x\n255\n', ...RED_GREEN)), RED_GREEN);
    assert.deepEqual(pixelsOf(text('P6 2 1 65535\n', 255, 255, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0)), RED_GREEN);
    assert.deepEqual(pixelsOf(text('P3 2 1 1\n1 0 0 0 1 0')), RED_GREEN);
    assert.deepEqual(pixelsOf(text('P5 2 1 255\n', 7, 9)), [7, 7, 7, 9, 9, 9]);
    assert.deepEqual(pixelsOf(text('P2 2 1 15 0 15')), [0, 0, 0, 255, 255, 255]);
  });
});

describe('bitmaps and pixmaps with false headers', () => {
  test('a false picture size is refused before anything is allocated', () => {
    const small = bitmap({ width: 2, height: 1, bits: 24, rows: new Uint8Array(8) });
    const at = (offset: number, value: number): Buffer => {
      const changed = Buffer.from(small);
      changed.writeInt32LE(value, offset);
      return changed;
    };
    const liars: readonly (readonly [Uint8Array, RegExp])[] = [
      [at(18, 2 ** 31 - 1), /but the file has/],
      [at(22, -(2 ** 31)), /but the file has/],
      [at(18, -5), /-5 x 1 pixels/],
      [at(10, 3), /begin at 3/],
      [at(10, 2 ** 31 - 1), /but the file has/],
      [at(14, 2 ** 31 - 1), /bytes long/],
      [at(30, 1), /compression 1 is not read; save it uncompressed/],
      [small.subarray(0, 20), /cut off/],
      [Buffer.from('P6 100000000 100000000 255\n'), /but the file has/],
      [Buffer.from('P6 99999999999 1 255\n'), /no number of 1 to 9 digits/],
      [Buffer.from('P5 1 1 70000\n0'), /must be 1 to 65535/],
      [Buffer.from('P2 2 1 9 1 x'), /is no number/],
      [Buffer.from('P5 1 1 9\n\xff', 'latin1'), /above its largest value/],
    ];

    for (const [bytes, message] of liars) assert.throws(() => pixelsOf(bytes), { name: 'InvalidInput', message });
  });

  test('corrupted bitmaps and pixmaps are read or refused, and nothing else happens', () => {
    const start = fc.constantFrom('BM', 'P2', 'P3', 'P5 ', 'P6 ');
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 200 }), (magic, rest) => {
        const bytes = Buffer.concat([Buffer.from(magic), rest]);
        try {
          const picture = openPlain(bytes);
          if (picture && picture.width * picture.height < 1e6)
            picture.read(new Uint8Array(picture.width * picture.height * 3));
        } catch (thrown) {
          assert.ok(thrown instanceof Fault && thrown.code === 'InvalidInput', String(thrown));
        }
      }),
    );
  });
});

describe('formats in the engine', () => {
  const engine = testEngine();
  after(() => engine.close());

  test('a bitmap and a pixmap score as the PNG of the same pixels', async () => {
    const { pixels } = await engine.decode(goldenImage('chelsea.png').bytes, 'chelsea.png');
    const ppm = Buffer.concat([Buffer.from(`P6\n${pixels.width} ${pixels.height}\n255\n`), pixels.data]);
    const stride = Math.ceil((pixels.width * 3) / 4) * 4;
    const rows = new Uint8Array(stride * pixels.height);
    for (let y = 0; y < pixels.height; y++)
      for (let x = 0; x < pixels.width; x++)
        for (let channel = 0; channel < 3; channel++)
          rows[(pixels.height - 1 - y) * stride + 3 * x + 2 - channel] = pixels.data[
            3 * (y * pixels.width + x) + channel
          ] as number;

    for (const [format, bytes] of [
      ['ppm', ppm],
      ['bmp', bitmap({ ...pixels, bits: 24, rows })],
    ] as const) {
      const picture = await engine.decode(bytes, `chelsea.${format}`);

      assert.equal(picture.format, format);
      assert.equal(Buffer.compare(picture.pixels.data, pixels.data), 0);
    }
  });

  test('a pixmap of 10^9 pixels is refused by its header, with the picture and the limit', async () => {
    const limited = onnxEngine({ log: recordingLog(), workers: 1, limits: { pixels: 100 } });
    const huge = Buffer.from('P6 31623 31623 255\n');

    await assert.rejects(engine.decode(huge, 'huge.ppm'), {
      name: 'InvalidInput',
      message: /huge\.ppm .* but the file has/,
    });
    await assert.rejects(limited.decode(Buffer.concat([Buffer.from('P5 20 20 255\n'), Buffer.alloc(400)]), 'big.pgm'), {
      name: 'InvalidInput',
      message: /big\.pgm has 20 x 20 pixels, the limit/,
    });
    await limited.close();
  });
});
