import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { after, test } from 'node:test';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { blobModelFiles } from '../../shared/adapters/onnx/model-files.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { composeIqa } from '../../shared/iqa/iqa.ts';
import { parseMetadata } from '../../shared/iqa/metadata.ts';
import { testEngine } from '../support/iqa.ts';
import { recordingLog } from '../support/recording-log.ts';

test('R0.03 warnings about the metadata are logged at start, in one line', () => {
  const engine = testEngine();
  after(() => engine.close());
  const blobs = memoryBlobs();
  const linesFor = (metadata: unknown) => {
    const log = recordingLog();
    const catalogue = parseMetadata(JSON.stringify(metadata), 'tools.json');
    const files = blobModelFiles(blobs, tmpdir());
    composeIqa({ catalogue, engine, table: memoryTable(), blobs, modelFiles: files, clock: systemClock(), log });
    return log.lines;
  };
  const params = { beta1: 5, beta2: 1, beta3: 0.5, beta4: 0.1 };

  const [line, ...others] = linesFor({
    ssim: { type: 'FR', strengths: [], graph: 'ssim' },
    psnr: { type: 'FR', strengths: [], graph: 'psnr' },
    musiq: { type: 'NR', strengths: [] },
  });

  assert.deepEqual(others, []);
  assert.equal(line?.fields?.warnings, 2);
  assert.match(JSON.stringify(line), /ssim has no logistic_params/);
  assert.deepEqual(linesFor({ ssim: { type: 'FR', strengths: [], logistic_params: params } }), []);
});
