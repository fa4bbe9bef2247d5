import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { imageHandlers } from '../../shared/adapters/images/image-tools-by-name.ts';
import type { CallContext } from '../../shared/kernel/ports.ts';
import { toolsAssay } from '../support/execution.ts';

const context = { tenant: 'default' } as CallContext;

const picture = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 3, background } });

const stored = new Map<string, Uint8Array>();
const handlers = imageHandlers(async (tenant, key) => stored.get(`${tenant}/${key}`));
const run = async <T>(tool: string, args: object): Promise<T> =>
  (await handlers.get(tool)?.run({ ...args }, context)) as T;
const base64 = async (of: Sharp) => ({ base64: (await of.toBuffer()).toString('base64') });

interface Written {
  readonly base64: string;
  readonly format: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}

describe('the image tools', () => {
  test('image_info reports size after rotation, format and transparency', async () => {
    const turned = picture(40, 20, 'red').jpeg().withMetadata({ orientation: 6 });

    const info = await run<Record<string, unknown>>('image_info', { image: await base64(turned) });

    assert.deepEqual([info.format, info.width, info.height, info.has_alpha, info.frames], ['jpeg', 20, 40, false, 1]);
  });

  test('image_resize keeps proportions, does not enlarge, and crops on request', async () => {
    const image = await base64(picture(400, 200, 'blue').png());

    const inside = await run<Written>('image_resize', { image, width: 100, fit: 'inside' });
    const larger = await run<Written>('image_resize', { image, width: 800, fit: 'inside' });
    const cover = await run<Written>('image_resize', {
      image,
      width: 50,
      height: 50,
      fit: 'cover',
      format: 'webp',
      quality: 50,
    });

    assert.deepEqual([inside.width, inside.height, inside.format], [100, 50, 'png']);
    assert.deepEqual([larger.width, larger.height], [400, 200]);
    assert.deepEqual([cover.width, cover.height, cover.format], [50, 50, 'webp']);
    const decoded = await sharp(Buffer.from(cover.base64, 'base64')).metadata();
    assert.deepEqual(
      [decoded.width, decoded.format, cover.bytes],
      [50, 'webp', Buffer.from(cover.base64, 'base64').length],
    );
    await assert.rejects(run('image_resize', { image }), /give width, height or both/);
  });

  test('image_convert composites transparency on white for JPEG, and can convert to greyscale', async () => {
    const clear = sharp({
      create: { width: 8, height: 8, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
    }).png();

    const jpeg = await run<Written>('image_convert', { image: await base64(clear), format: 'jpeg' });
    const grey = await run<Written>('image_convert', {
      image: await base64(picture(8, 8, 'red').png()),
      format: 'png',
      grey: true,
    });

    const { data } = await sharp(Buffer.from(jpeg.base64, 'base64')).raw().toBuffer({ resolveWithObject: true });
    assert.ok((data[0] ?? 0) > 250);
    assert.equal((await sharp(Buffer.from(grey.base64, 'base64')).metadata()).channels, 1);
  });

  test('X.07 a result that takes too much memory is refused where pictures are not decoded in a process of their own', async () => {
    const image = await base64(picture(4, 4, 'red').png());
    const wide = { image, width: 16_000, height: 16_000, fit: 'fill', enlarge: true };

    await assert.rejects(run('image_resize', wide), {
      code: 'TooLarge',
      message: /^the result would have 16000 x 16000 pixels; as png it may have 100 megapixels/,
    });
    const avif = { image: await base64(picture(6000, 6000, 'red').png()), format: 'avif' };
    await assert.rejects(run('image_convert', avif), {
      message: /as avif it may have 27\.9 megapixels: make it smaller/,
    });
  });

  test('image_compare counts differing pixels, by how much and where', async () => {
    const plain = await base64(picture(20, 10, '#000000').png());
    const dot = await picture(20, 10, '#000000')
      .composite([{ input: await picture(3, 2, '#0a0000').png().toBuffer(), left: 5, top: 4 }])
      .png()
      .toBuffer();
    const image = { base64: dot.toString('base64') };

    const found = await run<Record<string, unknown>>('image_compare', { image, reference: plain });
    const tolerant = await run<Record<string, unknown>>('image_compare', { image, reference: plain, tolerance: 10 });
    const same = await run<Record<string, unknown>>('image_compare', { image: plain, reference: plain });

    assert.deepEqual([found.different_pixels, found.largest_difference], [6, 10]);
    assert.deepEqual(found.box, { left: 5, top: 4, width: 3, height: 2 });
    assert.equal(found.mean_difference, (6 * 10) / (20 * 10 * 4));
    assert.deepEqual([tolerant.different_pixels, 'box' in tolerant], [0, false]);
    assert.deepEqual([same.identical, same.psnr_db], [true, null]);
    const other = await base64(picture(21, 10, 'red').png());
    await assert.rejects(
      run('image_compare', { image: other, reference: plain }),
      /image is 21 x 10, reference 20 x 10/,
    );
  });

  test('the image tools accept a stored picture of the tenant by its key', async () => {
    stored.set('default/a.png', await picture(3, 4, 'red').png().toBuffer());

    assert.equal((await run<{ height: number }>('image_info', { image: { key: 'a.png' } })).height, 4);
    await assert.rejects(run('image_info', { image: { key: 'b.png' } }), { name: 'NotFound' });
  });

  test('over HTTP the image tools answer a file that is not a picture with a failed outcome and its reason', async (t) => {
    const { invoke } = await toolsAssay(t);
    const failed = async (image: object) => {
      const { body } = await invoke('image_info', { image });
      assert.equal(body.status, 'failed');
      return (body.error as unknown as { type: string }).type;
    };

    assert.equal(await failed({ base64: Buffer.from('not a picture').toString('base64') }), 'InvalidInput');
    assert.equal(await failed({ base64: '***' }), 'InvalidInput');
    assert.equal(await failed({ key: '../../x' }), 'NotFound');
    const png = (await picture(50, 50, 'red').png().toBuffer()).subarray(0, 60);
    const cut = await invoke('image_convert', { image: { base64: png.toString('base64') }, format: 'jpeg' });
    assert.equal(cut.body.status, 'failed');
    assert.equal((await invoke('image_info', { image: { url: 'http://example.org/a.png' } })).status, 400);
    assert.equal((await invoke('image_resize', { image: { key: 'a' }, width: 0 })).status, 400);
  });
});
