import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { callApi, makeKey, open, type World } from '../world.ts';

const golden = (name: string): string => fileURLToPath(new URL(`../../golden/iqa/${name}`, import.meta.url));

export const scoreStories = (world: () => World): void => {
  test('one click scores a sample: overall score, bars, divider and quality map', async (t) => {
    const { page } = await open(t, world());

    await page.getByRole('button', { name: 'Compressed' }).click();
    const results = page.getByRole('region', { name: 'Scores' });
    await results.getByText(/^\d\.\d\d of 5$/).waitFor();
    await results.getByRole('img', { name: /^Overall .*: \d\.\d\d, 90 % of opinions \d\.\d\d to \d\.\d\d$/ }).waitFor();
    assert.equal(await results.getByRole('img', { name: /on the scale from 1 to 5: \d/ }).count(), 4);
    assert.ok((await results.getByText(/(higher|lower) raw is better/).count()) >= 3);

    const divider = results.getByRole('slider', { name: 'Divider between picture and original' });
    await divider.press('Home');
    assert.equal(await divider.inputValue(), '0');

    await results.getByRole('button', { name: 'Quality map' }).click();
    await results.getByAltText('Where it differs from the original').waitFor();
    await results.getByRole('slider').fill('30');
    await results.getByText('30 %').waitFor();
  });

  test('a picture chosen after a sample is not compared with the sample’s reference', async (t) => {
    const { page } = await open(t, world());
    await page.getByRole('button', { name: 'Compressed' }).click();
    await page.getByRole('button', { name: 'Remove Original' }).waitFor();

    await page.getByLabel('Picture', { exact: true }).setInputFiles(golden('chelsea_noise_2.png'));

    await page.getByRole('button', { name: 'Remove Original' }).waitFor({ state: 'detached' });
    await page.getByLabel('Original', { exact: true }).setInputFiles(golden('chelsea.png'));
    await page.getByLabel('Picture', { exact: true }).setInputFiles(golden('chelsea_blur_2.png'));
    assert.equal(await page.getByRole('button', { name: 'Remove Original' }).count(), 1);
  });

  test('each score is shown as soon as it is computed', async (t) => {
    const { page } = await open(t, world());
    await page.getByLabel('Picture', { exact: true }).setInputFiles(golden('chelsea_blur_2.png'));
    await page.getByLabel('Original', { exact: true }).setInputFiles(golden('chelsea.png'));
    await page.getByText('Metrics: ').click();
    const chosen = ['psnr', 'psnry', 'ssim', 'ms_ssim', 'gmsd', 'vif', 'fsim', 'nlpd'];
    for (const name of chosen) await page.getByLabel(name, { exact: true }).check();
    await page.evaluate(() => {
      const seen = new Set<number>();
      Object.assign(window, { seen });
      const count = (): unknown => seen.add(document.querySelectorAll('.metric-score').length);
      new MutationObserver(count).observe(document.body, { childList: true, subtree: true });
    });

    await page.getByRole('button', { name: 'Score', exact: true }).click();
    await page.getByText(/^\d\.\d\d of 5$/).waitFor();

    const seen = (await page.evaluate('[...seen]')) as number[];
    assert.ok(seen.includes(chosen.length), seen.join());
    assert.ok(
      seen.some((count) => count > 0 && count < chosen.length),
      seen.join(),
    );
  });

  test('a picture without a reference is scored by no-reference metrics', async (t) => {
    const { page } = await open(t, world());

    await page.getByLabel('Picture', { exact: true }).setInputFiles(golden('chelsea_noise_2.png'));
    await page.getByText('Metrics: ').click();
    assert.ok(await page.getByLabel('ssim', { exact: true }).isDisabled());
    await page.getByLabel('brisque').check();
    await page.getByRole('button', { name: 'Score', exact: true }).click();

    await page.getByRole('link', { name: 'brisque' }).waitFor();
    assert.equal(await page.getByRole('img', { name: /on the scale/ }).count(), 1);
  });

  test('many pictures become a table that downloads as CSV, and an unreadable one says why', async (t) => {
    const { page } = await open(t, world());

    await page.getByLabel('Original', { exact: true }).setInputFiles(golden('chelsea.png'));
    await page.getByText('Metrics: ').click();
    await page.getByLabel('psnr', { exact: true }).check();
    await page
      .getByLabel('Picture', { exact: true })
      .setInputFiles([golden('chelsea_jpeg_2.png'), golden('chelsea_blur_2.png'), golden('README.md')]);
    await page.getByText('3 of 3 scored').waitFor({ timeout: 30_000 });
    await page.getByRole('cell', { name: /README.md cannot be read as a picture/ }).waitFor();
    await page.getByRole('img', { name: /^2 pictures: scores from/ }).waitFor();
    assert.equal(await page.locator('img.thumbnail').count(), 2);
    const first = page.getByRole('region', { name: 'Table of scores' }).getByRole('row').nth(1);
    const orders: (string | null)[] = [];
    for (let press = 0; press < 2; press++) {
      await page.getByRole('button', { name: 'File' }).click();
      orders.push(await first.getByRole('cell').nth(1).textContent());
    }
    assert.deepEqual(orders, ['chelsea_blur_2.png', 'README.md']);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    assert.equal(lines.length, 4);
    assert.match(lines[0] ?? '', /^file,overall,overall_low,overall_high,\w+_raw,\w+_1_to_5/);
  });

  test('X.27 a picture scored before is marked as cached', async (t) => {
    const { page } = await open(t, world());
    await page.getByLabel('Picture', { exact: true }).setInputFiles(golden('chelsea_noise_2.png'));
    for (const metric of ['entropy', 'piqe']) {
      await page.getByText('Metrics: ').click();
      await page.getByLabel(metric, { exact: true }).check();
      await page.getByText('Metrics: ').click();
      await page.getByRole('button', { name: 'Score', exact: true }).click();
      await page.getByRole('link', { name: metric }).waitFor();
      await page.getByText(/metrics? · charged/).waitFor();
    }

    await page.getByText(/This picture was scored \d+ times/).click();
    const rows = page.getByRole('region', { name: 'Earlier scores of this picture' }).getByRole('row');
    assert.match((await rows.nth(1).textContent()) ?? '', /piqe \d/);
    assert.match((await rows.nth(2).textContent()) ?? '', /entropy/);
  });

  test('a picture too large for a request is uploaded, scored and charged once', async (t) => {
    const { id, key } = await makeKey(world(), { name: 'uploader', scopes: ['read', 'invoke'] });
    const { page } = await open(t, world(), { key });
    const announced: unknown[] = [];
    page.on('request', (request) => request.url().endsWith('/v1/uploads') && announced.push(request.postDataJSON()));
    const buffer = Buffer.concat([await readFile(golden('chelsea.png')), Buffer.alloc(4_000_000)]);
    await page
      .getByLabel('Picture', { exact: true })
      .setInputFiles({ name: 'large.png', mimeType: 'image/png', buffer });
    await page.getByText('Metrics: ').click();
    await page.getByLabel('entropy').check();

    await page.getByRole('button', { name: 'Score', exact: true }).click();
    await page.getByText('1 metric · charged').waitFor();
    await page.getByRole('checkbox', { name: 'entropy' }).uncheck();
    await page.getByLabel('piqe').check();
    await page.getByRole('button', { name: 'Score', exact: true }).click();
    await page.getByRole('link', { name: 'piqe' }).waitFor();
    await page.getByText('1 metric · charged').waitFor();

    assert.deepEqual(announced, [{ content_type: 'image/png', size: buffer.length, score: false }]);
    const { executions } = (await callApi(world(), `/v1/executions?key=${id}`)) as { executions: { tool: string }[] };
    assert.deepEqual(
      executions.map(({ tool }) => tool),
      ['score', 'score'],
    );
  });

  test('a file that is not a picture and a picture that is too large are refused with what to do', async (t) => {
    const { page } = await open(t, world());
    const picture = page.getByLabel('Picture', { exact: true });

    await picture.setInputFiles(golden('README.md'));
    await page.getByRole('button', { name: 'Score', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText(/README.md cannot be read as a picture.*send JPEG, PNG/)
      .waitFor();

    const buffer = Buffer.alloc(5_000_000);
    await picture.setInputFiles({ name: 'padded.png', mimeType: 'image/png', buffer });
    await page.getByRole('button', { name: 'Score', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText(/^padded.png cannot be read as a picture/)
      .waitFor();

    await picture.setInputFiles({ name: 'huge.png', mimeType: 'image/png', buffer: hugePng() });
    await page.getByRole('button', { name: 'Score', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText(/huge.png .*megapixels/i)
      .waitFor();
  });

  test('a lost connection and a used-up quota are reported, and the pictures stay', async (t) => {
    const { key } = await makeKey(world(), { name: 'empty', scopes: ['read', 'invoke'], quota: { calls: 0 } });
    const { page, context } = await open(t, world(), { key });
    await page.getByLabel('Picture', { exact: true }).setInputFiles(golden('chelsea.png'));

    await page.getByRole('button', { name: 'Score', exact: true }).click();
    await page.getByText('The quota of this key is used up').waitFor();

    await context.setOffline(true);
    await page.getByRole('button', { name: 'Score', exact: true }).click();
    await page.getByText('No connection', { exact: true }).waitFor();
    await page.getByText(/chelsea.png, \d+ KB/).waitFor();
  });
};

/** The head of a PNG of 30000 x 30000 pixels: enough to see that it is too large. */
const hugePng = (): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(30_000, 0);
  header.writeUInt32BE(30_000, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', Buffer.alloc(64)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

const chunk = (type: string, body: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
};
