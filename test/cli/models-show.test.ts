import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { InferenceSession } from 'onnxruntime-node';
import { runAssay } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const golden = (name: string): string => fileURLToPath(new URL(`../golden/iqa/${name}`, import.meta.url));
const sha256 = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

describe('assay models show', () => {
  test('assay models show keeps the graph that ran under its digest, which the hallmark names, and repairs a damaged copy', async (t) => {
    const cwd = await temporaryDirectory(t);
    const folder = join(cwd, '.assay', 'graph-cache');
    const pair = [golden('chelsea_jpeg_2.png'), '--reference', golden('chelsea.png')];

    const scored = await runAssay(['score', ...pair, '--tools', 'ssim', '--json'], { cwd });
    assert.equal(scored.code, 0, scored.stderr);
    const { graph_sha256: digest } = JSON.parse(scored.stdout).scores[0].hallmark.statement;
    assert.deepEqual(await readdir(folder), [`${digest}.onnx`]);
    assert.equal(await sha256(join(folder, `${digest}.onnx`)), digest);

    await writeFile(join(folder, `${digest}.onnx`), 'torn');
    const shown = await runAssay(['models', 'show', 'ssim', '--json'], { cwd });
    const [graph] = JSON.parse(shown.stdout);
    assert.deepEqual([graph.digest, graph.file], [digest, join(folder, `${digest}.onnx`)]);
    assert.equal(await sha256(graph.file), digest);
    assert.deepEqual(await readdir(folder), [`${digest}.onnx`]);
  });

  test('assay models show --out saves the graphs, which any ONNX runtime opens', async (t) => {
    const cwd = await temporaryDirectory(t);

    const shown = await runAssay(['models', 'show', 'ms_ssim', '--out', 'saved.onnx'], { cwd });

    assert.match(shown.stdout, /ms_ssim_level: \d+ nodes.*operators {2}Conv \d+/s);
    const files = (await readdir(cwd)).filter((name) => name.endsWith('.onnx')).sort();
    assert.deepEqual(files, ['saved.ms_ssim_last.onnx', 'saved.ms_ssim_level.onnx', 'saved.ms_ssim_luma.onnx']);
    const session = await InferenceSession.create(join(cwd, 'saved.ms_ssim_luma.onnx'));
    assert.deepEqual(session.inputNames, ['picture', 'reference']);
    const nowhere = await runAssay(['models', 'show', 'ssim', '--out', 'no/such/folder.onnx'], { cwd });
    assert.match(nowhere.stderr, /cannot be written.*--out/);
    assert.equal(nowhere.code, 1);
  });
});
