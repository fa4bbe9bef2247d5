import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import sharp from 'sharp';
import { restrictFormats } from '../../shared/adapters/images/picture-formats.ts';

const module = new URL('../../shared/adapters/images/picture-formats.ts', import.meta.url).href;
const STARTING = `
  import(${JSON.stringify(module)}).then(async ({ restrictFormats }) => {
    const { default: sharp } = await import('sharp');
    const { parentPort, workerData: stopped } = require('node:worker_threads');
    parentPort.postMessage('ready');
    while (Atomics.load(stopped, 0) === 0) restrictFormats(sharp);
  });`;

describe('the picture formats that a process reads', () => {
  test('a starting thread does not keep another from reading a picture', async (t) => {
    restrictFormats(sharp);
    const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .jpeg()
      .toBuffer();
    const stopped = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(STARTING, { eval: true, workerData: stopped });
    // One that is terminated inside sharp may abort the process.
    t.after(() => {
      Atomics.store(stopped, 0, 1);
      return once(worker, 'exit');
    });
    await new Promise((ready) => worker.once('message', ready));

    for (let turn = 0; turn < 300; turn++) assert.equal((await sharp(picture).metadata()).format, 'jpeg');
  });

  test('formats outside the list are refused unread: SVG, CSV, matrices and libvips’ own files', async () => {
    restrictFormats(sharp);
    const own = Buffer.from([0xb6, 0xa6, 0xf2, 0x08, ...new Array(200).fill(0)]);
    const texts = [
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
      '1,2\n3,4\n',
      '2 2\n1 2\n3 4\n',
      '%PDF-1.4\n',
    ];
    for (const bytes of [own, ...texts.map((text) => Buffer.from(text))])
      await assert.rejects(sharp(bytes).metadata(), /unsupported image format/, bytes.subarray(0, 12).toString());
  });

  test('every reader of this libvips is either accepted or refused by name', () => {
    const readers = Object.values(sharp.format).filter(({ input }) => input.buffer || input.file);

    assert.deepEqual(
      readers.map(({ id }) => id).filter((id) => !/^(jpeg|png|webp|heif|tiff|gif|svg|vips|raw)$/.test(id)),
      [],
    );
  });
});
