import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import sharp from 'sharp';
import { createPictureBudget } from '../../shared/adapters/images/picture-budget.ts';
import { defaultLimits } from '../../shared/adapters/images/picture-formats.ts';
import { decodeApart } from '../../shared/adapters/onnx/decode-apart.ts';
import { toolsAssay } from '../support/execution.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const base64 = (bytes: Uint8Array) => ({ base64: Buffer.from(bytes).toString('base64') });
const png = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'red' }, limitInputPixels: false })
    .png({ compressionLevel: 1 })
    .toBuffer();

describe('image tools have a memory budget and can be cancelled', () => {
  test('the image tools accept what scoring accepts: an SVG is refused unread', async (t) => {
    const { invoke } = await toolsAssay(t, {}, {}, { budget: createPictureBudget() });
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
    for (const tool of ['image_info', 'image_convert']) {
      const { body } = await invoke(tool, {
        image: base64(Buffer.from(svg)),
        format: tool === 'image_info' ? undefined : 'png',
      });
      assert.match(
        body.error.message,
        /^image cannot be read as a picture .*; send JPEG, PNG, WebP, AVIF, TIFF, GIF, BMP/,
      );
    }
  });

  test('a higher limit of megapixels holds in the process that decodes, too', async (t) => {
    const limits = { ...defaultLimits, pixels: 150e6 };
    const { invoke } = await toolsAssay(t, {}, {}, { budget: createPictureBudget(), limits });
    const red = { width: 11_000, height: 10_000, channels: 3, background: 'red' } as const;
    const large = sharp({ create: red, limitInputPixels: false }).greyscale();
    const image = base64(await large.png({ compressionLevel: 9 }).toBuffer());

    const { body } = await invoke('image_info', { image });

    assert.equal(body.status, 'ok', JSON.stringify(body).slice(0, 300));
  });

  test('a picture with too many megapixels is refused by its header, and the limit is configurable', async (t) => {
    const limits = { ...defaultLimits, pixels: 1e6 };
    const { invoke } = await toolsAssay(t, {}, {}, { budget: createPictureBudget(), limits });

    const { body } = await invoke('image_convert', { image: base64(await png(1200, 900)), format: 'png' });

    assert.equal(body.error.message, 'image has 1200 x 900 pixels, the limit is 1 megapixels; make it smaller');
    assert.equal(defaultLimits.pixels, 100_000_000);
  });

  test('X.05 a result too large to write is refused before anything is decoded, by its format and size', async (t) => {
    const limits = { ...defaultLimits, pixels: 1e6, memory: 8e6 };
    const { invoke } = await toolsAssay(t, {}, {}, { budget: createPictureBudget(), limits });
    const image = base64(await png(400, 300));
    const turned = base64(
      await sharp(await png(400, 300))
        .withMetadata({ orientation: 6 })
        .toBuffer(),
    );
    const refusals: readonly (readonly [tool: string, given: Record<string, unknown>, message: RegExp])[] = [
      [
        'image_resize',
        { width: 1200, enlarge: true },
        /^the result would have 1200 x 900 pixels; as png it may have 1 /,
      ],
      ['image_resize', { width: 900, height: 1200, fit: 'fill', enlarge: true }, /have 900 x 1200 pixels/],
      ['image_resize', { width: 1200, height: 300, fit: 'outside', enlarge: true }, /have 1200 x 900 pixels/],
      ['image_resize', { width: 5000, height: 300, fit: 'contain' }, /have 5000 x 300 pixels/],
      [
        'image_resize',
        { width: 640, height: 640, fit: 'cover', format: 'avif', enlarge: true },
        /as avif it may have 0\.3 mega/,
      ],
      ['image_resize', { width: 1200, image: turned, enlarge: true }, /have 1200 x 1600 pixels/],
    ];
    for (const [tool, given, message] of refusals) {
      const { body } = await invoke(tool, { image, ...given });
      assert.equal(body.error.type, 'TooLarge', JSON.stringify(body));
      assert.match(body.error.message, message);
    }
    for (const given of [{ width: 1200 }, { width: 5000, height: 5000, fit: 'cover' }, { height: 800, enlarge: true }])
      assert.equal((await invoke('image_resize', { image, ...given })).body.status, 'ok', JSON.stringify(given));
    const { body } = await invoke('image_convert', { image: base64(await png(900, 900)), format: 'webp' });
    assert.match(
      body.error.message,
      /^the result would have 900 x 900 pixels; as webp it may have 0\.5 megapixels: make/,
    );
  });

  test('X.05 a picture that its decoder must hold whole counts with that, and is refused beyond the limit', async (t) => {
    const asked: number[] = [];
    const budget = {
      reserve: async (_: string, bytes: number) => {
        asked.push(bytes);
        return () => {};
      },
    };
    const { invoke } = await toolsAssay(t, {}, {}, { budget, limits: { ...defaultLimits, memory: 4e5 } });
    const create = { width: 200, height: 300, channels: 4, background: 'red' } as const;
    const interlaced = (options: object) =>
      sharp({ create })
        .png({ progressive: true, ...options })
        .toBuffer();
    const deep = await sharp({ create }).toColourspace('rgb16').png({ progressive: true }).toBuffer();
    const reference = base64(await sharp({ create }).png().toBuffer());

    const ok = await invoke('image_compare', { image: base64(await interlaced({})), reference });
    const refused = await invoke('image_compare', { image: base64(deep), reference });

    assert.deepEqual([ok.body.status, asked], ['ok', [200 * 300 * (4 + 4 + 4)]]);
    assert.match(
      refused.body.error.message,
      /^image takes 1 MB to decode, the limit is 1; save it without interlacing/,
    );
  });

  test('the image tools run in a separate process', async (t) => {
    const { invoke } = await toolsAssay(t, {}, {}, { budget: createPictureBudget() });
    const image = base64(await png(40, 30));

    const resized = await invoke('image_resize', { image, width: 20 });
    const compared = await invoke('image_compare', { image, reference: image });

    assert.deepEqual((resized.body.output as { width: number; height: number }).height, 15);
    assert.equal((compared.body.output as { identical: boolean }).identical, true);
  });

  test('a decoder that hangs is killed, and its file deleted', async (t) => {
    const child = join(await temporaryDirectory(t), 'hangs.mjs');
    await writeFile(child, 'for (;;);');

    await assert.rejects(
      decodeApart(child, new Uint8Array(10), true, (length) => new Uint8Array(length), 1),
      { code: 'InvalidInput', message: 'the picture was not decoded within 1 s; send a smaller one' },
    );
  });

  test('X.07 pictures decoded at once stay within the memory budget, and everyone who waits gets a turn', async () => {
    const request = fc.record({ tenant: fc.constantFrom('a', 'b'), bytes: fc.integer({ min: 1, max: 150 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 30 }), async (requests) => {
        const budget = createPictureBudget({ bytes: 100 });
        let held = 0;
        let most = 0;
        await Promise.all(
          requests.map(async ({ tenant, bytes }) => {
            const giveBack = await budget.reserve(tenant, bytes);
            held += Math.min(bytes, 100);
            most = Math.max(most, held);
            await new Promise((resolve) => setImmediate(resolve));
            held -= Math.min(bytes, 100);
            giveBack();
          }),
        );
        assert.ok(most <= 100 && held === 0, `${most} of 100 bytes were held`);
      }),
      { numRuns: 30 },
    );
  });

  test('a call that waits too long for memory is refused with RateLimited, and others are not delayed', async () => {
    const budget = createPictureBudget({ bytes: 100, mostWaiting: 1, longestWaitMs: 20 });
    const giveBack = await budget.reserve('loud', 100);

    const late = assert.rejects(budget.reserve('loud', 50), { code: 'RateLimited', message: /wait for memory/ });
    await assert.rejects(budget.reserve('loud', 50), { code: 'RateLimited', message: /^1 pictures of this tenant/ });
    await late;
    giveBack();
    (await budget.reserve('polite', 100))();
  });
});
