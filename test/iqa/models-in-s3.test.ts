import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { s3Blobs } from '../../shared/adapters/aws/s3-blobs.ts';
import { blobModelFiles } from '../../shared/adapters/onnx/model-files.ts';
import { createComputations } from '../../shared/iqa/computations.ts';
import { createModelStore } from '../../shared/iqa/models.ts';
import { scoreImage } from '../../shared/iqa/score.ts';
import { shippedComputations } from '../../shared/iqa/shipped.ts';
import { goldenImage, scoring, shippedCatalogue, testEngine } from '../support/iqa.ts';
import { startS3 } from '../support/s3.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('C.03 a model added by one machine is stored in S3, and another machine scores with it', async (context) => {
  const s3 = await startS3();
  const engine = testEngine();
  context.after(() => Promise.all([s3.stop(), engine.close()]));
  const catalogue = shippedCatalogue();
  const machine = async () => {
    const blobs = s3Blobs({ client: s3.client, bucket: s3.bucket });
    const files = blobModelFiles(blobs, await temporaryDirectory(context));
    return createModelStore({ catalogue, blobs, files, engine, clock: { now: () => 0 } });
  };
  const path = fileURLToPath(new URL('../golden/iqa/models/no-reference.onnx', import.meta.url));
  await (await machine()).add({ tool: 'topiq_nr', path });

  const computations = createComputations(shippedComputations(), await machine());
  const { deps } = scoring(engine, { catalogue, computations });
  const request = { tenant: 'default', image: goldenImage('chelsea_jpeg_2.png'), tools: ['topiq_nr'] };
  const { scores } = await scoreImage(deps, request);

  assert.ok(Math.abs((scores[0]?.raw ?? 0) - 0.5514906) < 1e-5);
});
