import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { runAssay, serveCli } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const sample = fileURLToPath(new URL('../../functions/console/samples/chelsea-jpeg.jpg', import.meta.url));

test('X.28 CLI tools take pictures from disk, large ones by upload, and keys of uploaded ones', async (t) => {
  const { run, stop, cwd } = await serveCli(await temporaryDirectory(t));
  t.after(() => stop());
  await copyFile(sample, join(cwd, 'photo.jpg'));
  const noise = { raw: { width: 1200, height: 1000, channels: 3 } } as const;
  await sharp(randomBytes(3_600_000), noise).png({ compressionLevel: 0 }).toFile(join(cwd, 'large.png'));
  await writeFile(join(cwd, 'words.txt'), 'one two three');

  assert.equal((await run('invoke', 'image_resize', 'image=photo.jpg', 'width=64', '--out', 'small.jpg')).code, 0);
  assert.equal((await sharp(join(cwd, 'small.jpg')).metadata()).width, 64);
  await run('invoke', 'image_resize', 'image=photo.jpg', 'width=64', '--out', 'small.PNG');
  assert.equal((await sharp(join(cwd, 'small.PNG')).metadata()).format, 'png');
  await run('invoke', 'image_resize', 'image=photo.jpg', 'width=64', 'format=webp', '--out', 'small.png');
  assert.equal((await sharp(join(cwd, 'small.png')).metadata()).format, 'webp');
  const decided = await run('decide', 'resize photo.jpg to 64 pixels wide');
  assert.match(decided.stdout, /with the file here: assay invoke image_resize image=photo\.jpg width=64\n$/);
  const large = ['invoke', 'image_info', 'image=@large.png', '--json'];
  assert.equal((JSON.parse((await run(...large)).stdout) as { output: { width: number } }).output.width, 1200);
  const { stdout: key } = await run('upload', 'photo.jpg');
  assert.match((await run('invoke', 'image_info', `image=${key.trim()}`)).stdout, /"format": "jpeg"/);
  assert.match((await run('invoke', 'text_stats', 'text=@words.txt')).stdout, /"words": 3/);
  const missing = await run('invoke', 'image_info', 'image=@gone.jpg');
  assert.deepEqual([missing.code, missing.stderr.split(':')[0]], [1, 'NotFound']);
  const wrong = await run('invoke', 'image_info', '--arguments', '{"image": {"key": 5}}');
  assert.equal(wrong.stderr, 'InvalidInput: arguments of image_info are not valid: image.key must be string\n');
  const none = await run('invoke', 'text_stats', 'text=a', '--out', 'x.png');
  assert.match(none.stderr, /makes no picture/);

  // Two of them would not fit a request.
  const scored = await run('score', 'large.png', '--reference', 'large.png', '--tools', 'psnr', '--json');
  assert.deepEqual(
    (JSON.parse(scored.stdout) as { scores: { tool: string }[] }).scores.map(({ tool }) => tool),
    ['psnr'],
    scored.stderr,
  );

  // In one process too, without a server.
  const here = await runAssay(large, { cwd });
  assert.equal((JSON.parse(here.stdout) as { output: { width: number } }).output.width, 1200);
});
