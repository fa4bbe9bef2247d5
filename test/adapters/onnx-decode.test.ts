import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { onnxEngine } from '../../shared/adapters/onnx/engine.ts';
import { goldenImage, testEngine } from '../support/iqa.ts';
import { gifOf, tiffOf, webpOf } from '../support/many-frames.ts';
import { recordingLog } from '../support/recording-log.ts';

const chelsea = goldenImage('chelsea.png').bytes;
const exact = await sharp(chelsea).removeAlpha().raw().toBuffer();

/** Solid 8-bit pixels of one colour. */
const solid = (red: number, green: number, blue: number, width = 6, height = 4) =>
  sharp({ create: { width, height, channels: 3, background: { r: red, g: green, b: blue } } });

describe('decoding pictures', () => {
  const engine = testEngine();
  after(() => engine.close());

  const pixelsOf = async (bytes: Uint8Array, name = 'picture') => [...(await engine.decode(bytes, name)).pixels.data];

  test('R0.06 decoding gives 8-bit RGB in shared memory, bit for bit for lossless files', async () => {
    for (const format of ['png', 'tiff', 'webp'] as const) {
      const bytes = await sharp(chelsea).toFormat(format, { lossless: true, compression: 'lzw' }).toBuffer();

      const picture = await engine.decode(bytes, `cat.${format}`);

      assert.equal(picture.format, format);
      assert.deepEqual([picture.pixels.width, picture.pixels.height], [451, 300]);
      assert.ok(picture.pixels.data.buffer instanceof SharedArrayBuffer);
      assert.equal(Buffer.compare(picture.pixels.data, exact), 0, format);
    }
  });

  test('JPEG, AVIF and GIF decode close to the original', async () => {
    for (const [format, near] of [
      ['jpeg', 5],
      ['avif', 6],
      ['gif', 12],
    ] as const) {
      const bytes = await sharp(chelsea)
        .toFormat(format, format === 'avif' ? { quality: 95, effort: 1 } : {})
        .toBuffer();

      const picture = await engine.decode(bytes);

      const error = picture.pixels.data.reduce((sum, value, at) => sum + Math.abs(value - (exact[at] ?? 0)), 0);
      assert.equal(picture.format, format);
      assert.ok(error / exact.length < near, `${format} ${error / exact.length}`);
    }
  });

  test('decoding rotates by EXIF orientation and reports it', async () => {
    const rows = Buffer.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9]);
    const bytes = await sharp(rows, { raw: { width: 4, height: 1, channels: 3 } })
      .png()
      .withMetadata({ orientation: 6 })
      .toBuffer();

    const picture = await engine.decode(bytes);

    assert.deepEqual([picture.pixels.width, picture.pixels.height], [1, 4]);
    assert.deepEqual([...picture.pixels.data], [...rows]);
    assert.deepEqual(picture.notes, ['turned by its EXIF orientation 6']);
  });

  test('decoding composites transparency on white', async () => {
    const rgba = Buffer.from([10, 20, 30, 255, 10, 20, 30, 0, 10, 20, 30, 128]);
    const bytes = await sharp(rgba, { raw: { width: 3, height: 1, channels: 4 } })
      .png()
      .toBuffer();

    const picture = await engine.decode(bytes);

    const [r, g, b, r2, g2, b2, r3] = picture.pixels.data;
    assert.deepEqual([r, g, b, r2, g2, b2], [10, 20, 30, 255, 255, 255]);
    assert.ok(Math.abs((r3 ?? 0) - 132) <= 1);
    assert.deepEqual(picture.notes, ['transparency, if any, laid on white']);
  });

  test('an opaque alpha channel does not change the decoded pixels', async () => {
    const bytes = await sharp(chelsea).ensureAlpha(1).png().toBuffer();

    assert.equal(Buffer.compare((await engine.decode(bytes)).pixels.data, exact), 0);
  });

  test('greyscale, palette and one-bit pictures decode to three channels', async () => {
    const grey = sharp(Buffer.from([0, 80, 160, 255]), { raw: { width: 4, height: 1, channels: 1 } });

    assert.deepEqual(
      await pixelsOf(await grey.clone().png().toBuffer()),
      [0, 0, 0, 80, 80, 80, 160, 160, 160, 255, 255, 255],
    );
    assert.deepEqual(
      await pixelsOf(await grey.clone().png({ palette: true }).toBuffer()),
      [0, 0, 0, 80, 80, 80, 160, 160, 160, 255, 255, 255],
    );
    const bits = await grey.clone().threshold(128).toColourspace('b-w').tiff({ bitdepth: 1 }).toBuffer();
    assert.deepEqual(await pixelsOf(bits), [0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255]);
  });

  test('decoding keeps the upper 8 of 16 bits, in greyscale and colour', async () => {
    const deep = Uint16Array.from([0x0000, 0x80ff, 0xff00, 0x1234, 0xffff, 0x7f80]);
    const colour = sharp(deep, { raw: { width: 2, height: 1, channels: 3 } }).toColourspace('rgb16');
    const grey = sharp(deep, { raw: { width: 6, height: 1, channels: 1 } }).toColourspace('grey16');

    const picture = await engine.decode(await colour.png().toBuffer());
    assert.deepEqual([...picture.pixels.data], [0x00, 0x80, 0xff, 0x12, 0xff, 0x7f]);
    assert.deepEqual(picture.notes, ['reduced from ushort to 8 bits']);
    const flat = await pixelsOf(await grey.png().toBuffer());
    assert.deepEqual(
      flat.filter((_, at) => at % 3 === 0),
      [0x00, 0x80, 0xff, 0x12, 0xff, 0x7f],
    );
  });

  test('decoding converts CMYK to sRGB', async () => {
    const bytes = await solid(250, 250, 250).toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer();

    const picture = await engine.decode(bytes);

    assert.equal(picture.pixels.data.length, 6 * 4 * 3);
    assert.ok(picture.pixels.data.every((value) => value > 235));
    assert.deepEqual(picture.notes, ['converted from CMYK']);
  });

  test('decoding leaves the pixels of a picture with an RGB profile unchanged', async () => {
    const bytes = await solid(200, 30, 60).withIccProfile('p3').png().toBuffer();
    const stored = await sharp(bytes, { ignoreIcc: true }).raw().toBuffer();

    assert.deepEqual(await pixelsOf(bytes), [...stored]);
  });

  test('decoding takes the first frame of an animation and reports it', async () => {
    const frames = [solid(200, 0, 0), solid(0, 200, 0), solid(0, 0, 200)];
    const bytes = await sharp(await Promise.all(frames.map((frame) => frame.png().toBuffer())), {
      join: { animated: true },
    })
      .gif()
      .toBuffer();

    const picture = await engine.decode(bytes);

    assert.deepEqual([picture.pixels.width, picture.pixels.height], [6, 4]);
    assert.deepEqual([...picture.pixels.data.subarray(0, 3)], [200, 0, 0]);
    assert.equal(picture.notes[0], 'the first of 3 frames or pages');
  });

  test('a picture past the spooling limit decodes to the same pixels', async () => {
    const width = 8192;
    const height = 4900;
    const bytes = await sharp({ create: { width, height, channels: 3, background: '#102030' } })
      .composite([
        { input: { create: { width: 5, height: 5, channels: 3, background: '#ff8000' } }, left: 8000, top: 4800 },
      ])
      .png({ compressionLevel: 1 })
      .toBuffer();

    const { pixels } = await engine.decode(bytes, 'wall.png');

    const at = (x: number, y: number) => [...pixels.data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)];
    assert.equal(pixels.data.length, width * height * 3);
    assert.deepEqual(
      [at(0, 0), at(8002, 4802), at(8191, 4899)],
      [
        [16, 32, 48],
        [255, 128, 0],
        [16, 32, 48],
      ],
    );
  });

  test('a file that is not a picture is refused, with its name and what to do', async () => {
    const cut = chelsea.subarray(0, 60_000);
    const jpeg = await sharp(chelsea).jpeg().toBuffer();
    const cases: readonly (readonly [string, Uint8Array, RegExp])[] = [
      ['empty.png', new Uint8Array(0), /empty\.png is empty; send/],
      ['notes.txt', Buffer.from('these are no pixels'), /notes\.txt cannot be read as a picture.*; send JPEG, PNG/],
      ['half.png', cut, /half\.png is a damaged or incomplete png file.*send the whole file again/],
      ['half.jpg', jpeg.subarray(0, jpeg.length / 2), /half\.jpg is a damaged or incomplete jpeg file/],
      [
        'drawing.svg',
        Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
        /drawing\.svg cannot be read as a picture .*; send JPEG, PNG/,
      ],
    ];

    for (const [name, bytes, message] of cases) {
      await assert.rejects(engine.decode(bytes, name), { name: 'InvalidInput', message });
    }
  });

  test('a decompression bomb is refused by its header', async () => {
    const bomb = hugePng(50_000, 50_000);
    assert.ok(bomb.length < 5000);

    await assert.rejects(engine.decode(bomb, 'bomb.png'), {
      name: 'InvalidInput',
      message: /bomb\.png has 50000 x 50000 pixels, the limit is 100 megapixels; make it smaller/,
    });
  });

  test('X.05 a picture of more than 10,000 frames or pages is refused before libvips looks at each of them', async () => {
    const pixel = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
      .webp()
      .toBuffer();
    const makers: Readonly<Record<string, (frames: number) => Buffer>> = {
      'many.gif': gifOf,
      'many.webp': (frames) => webpOf(frames, pixel),
      'many.tiff': tiffOf,
      'many-big.tiff': (pages) => tiffOf(pages, true),
    };
    for (const [name, make] of Object.entries(makers)) {
      assert.equal((await sharp(make(30)).metadata()).pages, 30, name);
      assert.match((await engine.decode(make(10_000), name)).notes.join(), /the first of 10000 frames or pages/);
      await assert.rejects(engine.decode(make(10_001), name), {
        name: 'InvalidInput',
        message: `${name} has more than 10000 frames or pages, the limit; send the first one alone`,
      });
    }
    const endless = tiffOf(2);
    endless.writeUInt32LE(10, endless.length - 4);
    await assert.rejects(engine.decode(endless, 'endless.tiff'), /more than 10000 frames/);
    await assert.rejects(engine.decode(gifOf(3).subarray(0, 40), 'half.gif'), /half\.gif cannot be read as a picture/);
  });

  test('X.05 a picture with a side of more than 65,535 pixels is refused by its header', async () => {
    await engine.decode(hugePng(65_535, 1), 'strip.png').catch(({ message }) => assert.match(message, /damaged/));
    for (const [width, height] of [
      [65_536, 1],
      [1, 99_000_000],
    ] as const)
      await assert.rejects(engine.decode(hugePng(width, height), 'strip.png'), {
        name: 'InvalidInput',
        message: `strip.png has ${width} x ${height} pixels, a side may have 65535; cut it into parts`,
      });
  });

  test('a file over the size limit is refused before it is parsed', async () => {
    const strict = onnxEngine({ log: recordingLog(), workers: 1, limits: { bytes: 1000 } });
    after(() => strict.close());

    await assert.rejects(strict.decode(chelsea, 'cat.png'), {
      name: 'TooLarge',
      message: `cat.png has ${chelsea.length} bytes, the limit is 1000; compress it or make it smaller`,
    });
  });

  test('decoding reuses the memory of a released picture that is large enough', async () => {
    const [first, small] = await Promise.all([
      engine.decode(chelsea),
      engine.decode(await solid(1, 2, 3).png().toBuffer()),
    ]);
    const { buffer } = first.pixels.data;

    engine.release(first);
    const second = await engine.decode(await solid(9, 8, 7).png().toBuffer());
    engine.release(small);
    const third = await engine.decode(chelsea);

    assert.equal(second.pixels.data.buffer, buffer);
    assert.deepEqual([...second.pixels.data.subarray(0, 6), second.pixels.data.length], [9, 8, 7, 9, 8, 7, 72]);
    assert.notEqual(third.pixels.data.buffer, small.pixels.data.buffer);
    assert.equal(Buffer.compare(third.pixels.data, exact), 0);
  });

  test('a picture encodes to PNG without loss, and to JPEG by quality', async () => {
    const { pixels } = await engine.decode(chelsea);

    const png = await engine.encode(pixels, { format: 'png' });
    const [small, large] = await Promise.all(
      [10, 90].map((quality) => engine.encode(pixels, { format: 'jpeg', quality })),
    );

    assert.equal(Buffer.compare((await engine.decode(png)).pixels.data, exact), 0);
    assert.ok((small?.length ?? 0) < (large?.length ?? 0) / 3);
  });
});

/** A PNG whose header promises a size its data does not have. */
function hugePng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const chunks = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(2000))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'ascii'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

function crc32(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
