import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findGpuZones } from '../../infra/build/gpu-zones.ts';
import { stages } from '../../infra/config.ts';
import { AssayStage } from '../../infra/stage.ts';
import { CloudFormationStub } from '../support/cloudformation-stub.ts';
import { isWhole, sampleOf } from '../support/sampling.ts';
import { quickApp } from '../support/templates.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = await temporaryDirectory({ after });
const app = join(folder, 'assembly');
const dockerLog = join(folder, 'docker.log');
const cloud = new CloudFormationStub();
const address = await cloud.start();
after(() => cloud.stop());

/** Templates and assets as synthesis leaves them; the bundles are not built, as the stub has them already. */
const assemble = async (): Promise<void> => {
  const assembly = quickApp({ outdir: app });
  new AssayStage(assembly, 'dev', stages.dev);
  assembly.synth();
  await writeFile(join(folder, 'docker'), `#!/bin/sh\necho "$1" >> ${dockerLog}\n`);
  await chmod(join(folder, 'docker'), 0o755);
};
await assemble();

const run = async (script: 'deploy' | 'destroy', args: readonly string[], input = '') => {
  const child = spawn(process.execPath, [`infra/build/${script}.ts`, ...args], {
    cwd: root,
    // Only for one that hangs: on a busy machine a deployment takes minutes.
    timeout: 900_000,
    env: {
      PATH: `${root}/node_modules/.bin:${process.env.PATH}`,
      HOME: folder,
      NO_COLOR: '1',
      AWS_ENDPOINT_URL: address,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_REGION: 'us-east-1',
      CDK_DOCKER: join(folder, 'docker'),
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(folder, 'compiled'),
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
};

/** Each run of the CDK's command takes seconds: a sample deploys once. */
const WHOLE_ONLY = 'only in npm run test:all';

const STACKS = ['data', 'inference', 'plans', 'api', 'edge', 'console', 'operations'].map(
  (name) => `assay-dev-${name}`,
);

describe('zones of GPU machines', () => {
  test('the zones of GPU machines are those that AWS lists, each once', () => {
    assert.deepEqual(
      findGpuZones('us-east-1', () => 'us-east-1d\tus-east-1b\nus-east-1d\n'),
      ['us-east-1b', 'us-east-1d'],
    );
  });

  test('a Region without GPU machines, or an AWS that does not answer, is reported with what to do', () => {
    assert.throws(() => findGpuZones('eu-central-2', () => '\n'), /eu-central-2 has none of g6\.xlarge.*Leave gpu out/);
    assert.throws(() => findGpuZones('us-east-1', () => undefined), /Sign in the AWS CLI, or name them/);
  });
});

describe('deploying a stage', { concurrency: false }, () => {
  test('C.08 deploying shows the difference, asks, and sends nothing without agreement', {
    skip: isWhole ? false : WHOLE_ONLY,
  }, async () => {
    const { code, output } = await run('deploy', ['dev', '--app', app], 'n\n');

    assert.equal(code, 1, output);
    assert.match(output, /assay-dev-data/);
    assert.match(output, /IAM Statement Changes/);
    assert.match(output, /Nothing was deployed\. Answer y, or say --yes/);
    assert.deepEqual(cloud.deployed, []);
  });

  test('C.08 X.24 deploying handles every stack after its dependencies, without asking again', async () => {
    const { code, output } = await run('deploy', ['dev', '--app', app], 'y\n');

    assert.equal(code, 0, output);
    assert.deepEqual([...cloud.deployed].sort(), [...STACKS].sort());
    assert.equal(output.match(/\[y\/N\]/g)?.length, 1);
    assert.deepEqual([...new Set((await readFile(dockerLog, 'utf8')).trim().split('\n'))].sort(), [
      ...['inspect', 'login', 'push', 'tag'],
    ]);
    const outputs = JSON.parse(await readFile(join(root, 'cdk.out/dev.json'), 'utf8'));
    assert.equal(outputs['assay-dev-edge'].Url, 'assay-dev-edge.Url');
  });

  test('C.08 deploying says what to do while CloudFront still holds the edge function', {
    skip: isWhole ? false : WHOLE_ONLY,
  }, async () => {
    cloud.replicated = 1;
    const refused = await run('destroy', ['dev', '--app', app, '--yes']);
    assert.equal(refused.code, 1, refused.output);
    assert.match(refused.output, /Run npm run destroy -- dev again tomorrow/);
  });

  test('X.24 destroying stops when the name typed is not the stage’s', async () => {
    const before = [...cloud.removed];
    const { code, output } = await run('destroy', ['dev', '--app', app], 'prod\n');
    assert.equal(code, 1);
    assert.match(output, /Nothing was removed/);
    assert.deepEqual(cloud.removed, before);
  });

  test('C.08 X.24 destroying removes every stack once the stage’s name is typed', {
    skip: isWhole ? false : WHOLE_ONLY,
  }, async () => {
    const { code, output } = await run('destroy', ['dev', '--app', app], 'dev\n');
    assert.equal(code, 0, output);
    assert.deepEqual([...cloud.removed].sort(), [...STACKS].sort());
    assert.match(output, /The table, the buckets and the secrets of dev are kept/);
  });

  const wrong = [
    ['no stage', [], /usage: npm run deploy -- <stage>/],
    ['a stage with capitals', ['Dev'], /small letters and digits/],
    ['a stage that is not there', ['test'], /no stage "test" in infra\/config\.ts: it has dev, prod/],
    ['nobody to hear of alarms', ['dev', '--yes'], /Nobody would hear of alarms\. Say --alarm-email/],
    ['no address', ['dev', '--yes', '--alarm-email', 'me'], /"me" is no e-mail address/],
  ] as const;
  for (const [what, args, message] of sampleOf(wrong, 3))
    test(`${what} is a usage error, and nothing begins`, async () => {
      const before = cloud.calls.length;
      const { code, output } = await run('deploy', args);

      assert.equal(code, 2);
      assert.match(output, message);
      assert.equal(cloud.calls.length, before);
    });
});
