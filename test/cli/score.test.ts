import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { runAssay } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const golden = (name: string): string => fileURLToPath(new URL(`../golden/iqa/${name}`, import.meta.url));

interface Report {
  readonly scores: readonly { readonly tool: string; readonly raw: number; readonly hallmark: { signature: string } }[];
}

describe('assay score', () => {
  test('R0.04 R0.05 assay score scores a picture with and without a reference, draws a map, and its hallmarks verify', async (t) => {
    const cwd = await temporaryDirectory(t);
    const args = [
      'score',
      golden('chelsea_jpeg_2.png'),
      '--reference',
      golden('chelsea.png'),
      '--tools',
      'psnr,SSIM',
      '--map',
      'map.png',
    ];

    const scored = await runAssay([...args, '--json'], { cwd });
    assert.equal(scored.code, 0, scored.stderr);
    const report = JSON.parse(scored.stdout) as Report;
    assert.ok(Math.abs((report.scores[1]?.raw ?? 0) - 0.89951563) < 2e-5);
    const map = await sharp(join(cwd, 'map.png')).metadata();
    assert.deepEqual([map.width, map.height], [451, 322]);

    await writeFile(join(cwd, 'score.json'), scored.stdout);
    const verified = await runAssay(['verify', 'score.json'], { cwd });
    assert.deepEqual([verified.code, verified.stdout], [0, 'valid   psnr\nvalid   ssim\nvalid   the whole answer\n']);
    const { hallmark: _, ...stripped } = JSON.parse(scored.stdout) as Record<string, unknown>;
    await writeFile(join(cwd, 'stripped.json'), JSON.stringify(stripped));
    assert.match(
      (await runAssay(['verify', 'stripped.json'], { cwd })).stdout,
      /not signed: dimensions, format and overall/,
    );
    await writeFile(join(cwd, 'forged.json'), scored.stdout.replace('"raw": 0.8995', '"raw": 0.9995'));
    const forged = await runAssay(['verify', 'forged.json'], { cwd });
    assert.equal(forged.code, 1);
    assert.match(forged.stdout, /INVALID ssim: raw says/);
  });

  test('assay score continues past bad files, reports them, and fails when a threshold is missed', async (t) => {
    const cwd = await temporaryDirectory(t);
    await writeFile(join(cwd, 'broken.png'), 'not a picture');
    await writeFile(join(cwd, 'empty.jpg'), '');
    await writeFile(join(cwd, 'good.png'), await readFile(golden('chelsea_jpeg_2.png')));

    const many = await runAssay(['score', '.', '--tools', 'niqe', '--csv', 'out.csv'], { cwd });
    assert.equal(many.code, 1);
    assert.match(many.stdout, /good\.png +4\.\d+/);
    // Nobody finds a score by a column that is empty, or a picture by a folder that all share.
    assert.match(many.stdout, /^PICTURE +NIQE\s*\n/);
    assert.match(many.stdout, /without a reference no single number is supported/);
    const apart = await runAssay(['score', cwd, '--tools', 'niqe'], { cwd });
    assert.match(apart.stdout, /\ngood\.png +4\.\d+/);
    assert.match(many.stderr, /broken\.png cannot be read as a picture/);
    const csv = (await readFile(join(cwd, 'out.csv'), 'utf8')).trim().split('\n');
    assert.deepEqual([csv[0], csv.length], ['image,tool,raw,normalized,overall,overall_low,overall_high,error', 4]);

    const gate = (bound: string) =>
      runAssay(['score', 'good.png', '--reference', golden('chelsea.png'), '--fail-under', bound], { cwd });
    assert.equal((await gate('ssim=0.8')).code, 0);
    const failed = await gate('ssim=0.98');
    assert.deepEqual([failed.code, /ssim 0\.8995 is under 0\.98/.test(failed.stderr)], [1, true]);
    assert.equal((await gate('ssim')).code, 2);
    const nothing = await runAssay(['score', 'nowhere.png'], { cwd });
    assert.deepEqual([nothing.code, /there is no file or folder nowhere\.png/.test(nothing.stderr)], [2, true]);
  });

  test('assay score fits a picture to a target and writes the smallest file that meets it', async (t) => {
    const cwd = await temporaryDirectory(t);

    const fitted = await runAssay(
      ['fit', golden('chelsea.png'), '--target', 'ssim=0.9', '--formats', 'webp', '--out', 'small.webp', '--json'],
      { cwd },
    );

    const { best, curve } = JSON.parse(fitted.stdout) as {
      best: { bytes: number; raw: number; quality: number };
      curve: { quality: number; raw: number; bytes: number }[];
    };
    assert.equal((await readFile(join(cwd, 'small.webp'))).length, best.bytes);
    assert.ok(best.raw >= 0.9);
    assert.ok(curve.every(({ raw, bytes }) => raw < 0.9 || bytes >= best.bytes));
  });

  test('R0.16 assay score lists tools for a distortion, full-reference first with a reference', async (t) => {
    const cwd = await temporaryDirectory(t);

    const { stdout } = await runAssay(
      ['iqa', 'list', '--distortion', 'blurs', '--reference', '--available', '--json'],
      { cwd },
    );
    const types = (JSON.parse(stdout) as { tools: { type: string }[] }).tools.map(({ type }) => type);
    assert.ok(types.includes('FR') && types.includes('NR'));
    assert.deepEqual(types, types.toSorted());
  });
});
