import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Bundles, bundleAll } from '../support/bundles.ts';
import { loadHandler } from '../support/lambda.ts';
import { type RotationStub, startRotationStub } from '../support/rotation-stub.ts';
import { localCredentials, localRegion } from '../support/s3.ts';

const OLD = 'o'.repeat(48);
const NEW = 'n'.repeat(48);

describe('the bundle of functions/rotate', () => {
  let stub: RotationStub;
  let bundles: Bundles<'rotate'>;
  let handler: (event: unknown) => Promise<void>;
  const step = (Step: string, ClientRequestToken = 'v2') =>
    handler({ SecretId: 'arn:secret', ClientRequestToken, Step });

  before(async () => {
    stub = await startRotationStub(OLD);
    bundles = await bundleAll({ rotate: 'functions/rotate/index.ts' }, { layer: false });
    Object.assign(process.env, {
      AWS_REGION: localRegion,
      AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: stub.endpoint,
      AWS_ENDPOINT_URL_CLOUDFRONT: stub.endpoint,
      ASSAY_DISTRIBUTION: 'E1EXAMPLE',
      ASSAY_API_URL: stub.endpoint,
    });
    handler = await loadHandler(bundles.built.rotate.folder);
  });
  after(async () => {
    await stub.stop();
    await bundles.remove();
  });

  test('rotation refuses to set a version that was not created', async () => {
    await assert.rejects(step('setSecret', 'v9'), { name: 'NotFound' });
    assert.match(stub.config, new RegExp(OLD));
  });

  test('the four rotation steps give CloudFront a new secret and keep the previous one', async () => {
    for (const name of ['createSecret', 'setSecret', 'testSecret', 'finishSecret']) await step(name);

    assert.match(stub.config, new RegExp(`x-assay-origin</HeaderName><HeaderValue>${NEW}<`));
    assert.match(stub.config, /x-assay-bucket<\/HeaderName><HeaderValue>b</);
    assert.deepEqual(stub.matches, ['E2QWRUHEXAMPLE']);
    assert.deepEqual(stub.versions.get('v2'), { text: NEW, stages: ['AWSCURRENT'] });
    assert.deepEqual(stub.versions.get('v1'), { text: OLD, stages: ['AWSPREVIOUS'] });
  });

  test('rotation steps may be repeated', async () => {
    await step('finishSecret');
    await stub.versions.set('v3', { text: OLD, stages: ['AWSPENDING'] });
    await step('createSecret', 'v3');
    await step('setSecret', 'v3');
    await step('setSecret', 'v3');

    assert.equal(stub.versions.get('v3')?.text, OLD);
    assert.equal(stub.matches.length, 2);
  });

  test('an event that is not a rotation event is refused', async () => {
    await assert.rejects(handler({ Step: 'burnSecret' }));
  });
});
