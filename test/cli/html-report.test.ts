import assert from 'node:assert/strict';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { renderReport } from '../../functions/cli/html-report.ts';
import type { ScoreReport } from '../../shared/iqa/score.ts';
import { runAssay } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const golden = (name: string): string => fileURLToPath(new URL(`../golden/iqa/${name}`, import.meta.url));

const report = (score: number): ScoreReport => ({
  image: { sha256: 'a', width: 4, height: 3, format: 'png' },
  scores: [{ tool: 'ssim', raw: 0.9, normalized: score, cached: false, duration_ms: 1, warnings: [] }],
  overall: { score, low: score - 0.3, high: score + 0.3, word: 'good', mean: score, spread: 0, tools: ['ssim'] },
});

describe('the HTML report', () => {
  test('the HTML report is one page with pictures beside their reference, worst first', async (t) => {
    const folder = await temporaryDirectory(t);
    for (const name of ['chelsea.png', 'chelsea_blur_2.png']) await cp(golden(name), join(folder, name));
    const out = join(folder, 'report.html');
    const args = ['score', folder, '--reference', golden('chelsea.png'), '--tools', 'ssim', '--html', out];

    const { code } = await runAssay(args, { cwd: folder });

    const page = await readFile(out, 'utf8');
    assert.equal(code, 0);
    assert.ok(page.indexOf('chelsea_blur_2.png') < page.lastIndexOf('chelsea.png'));
    assert.equal(page.match(/<img src="data:image\/webp;base64,/g)?.length, 4);
    assert.doesNotMatch(page, /(src|href)="(?!data:)/, 'nothing is loaded from elsewhere');
  });

  test('the HTML report marks outliers and failures, and escapes file names', () => {
    const entries = [4, 4.1, 4.2, 4.1, 4, 4.3, 1.2].map((score, at) => ({
      file: `<b>${at}.png`,
      report: report(score),
    }));

    const page = renderReport([...entries, { file: 'bad.png', error: { message: 'is "no" picture' } }]);

    assert.match(page, /8 pictures, 1 failed, 1 outliers/);
    assert.match(page, /<h2>Outliers<\/h2><ul><li>&lt;b&gt;6.png: 1.20/);
    assert.match(page, /bad.png: is &quot;no&quot; picture/);
    assert.doesNotMatch(page, /<b>/);
  });
});
