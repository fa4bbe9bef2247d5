import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { glob } from 'node:fs/promises';
import { test } from 'node:test';
import { type StageSettings, stages } from '../../infra/config.ts';
import { AssayStage } from '../../infra/stage.ts';
import { isWhole } from '../support/sampling.ts';
import { quickApp } from '../support/templates.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** It takes as long as a dozen other suites; a sample compares each resource with CloudFormation's specification alone. */
const whySkipped = (): string | false => {
  if (!isWhole) return 'only in npm run test:all';
  return spawnSync('cfn-lint', ['--version']).status === 0 ? false : 'cfn-lint is not installed';
};

/** One elsewhere with every setting, and the stages as they ship. */
const STAGES: Readonly<Record<string, StageSettings>> = {
  third: {
    ...stages.prod,
    region: 'eu-central-1',
    gpu: { maxVcpus: 8, zones: ['eu-central-1a', 'eu-central-1b'] },
    otlp: 'xray',
    alarmEmail: 'watch@example.com',
    keptDays: { pictures: 30, results: 7 },
    restoredTable: {
      name: 'assay-third-restored',
      streamArn: 'arn:aws:dynamodb:eu-central-1:111111111111:table/assay-third-restored/stream/2026-11-17T08:00:00.000',
    },
    functions: ['arn:aws:lambda:eu-central-1:111111111111:function:sums'],
    domain: {
      name: 'assay.example.com',
      certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/12345678-1234-1234-1234-123456789012',
    },
    llm: {
      url: 'https://models.example/v1',
      secretArn: 'arn:aws:secretsmanager:eu-central-1:111111111111:secret:model-AbCdEf',
    },
    cognito: { domainPrefix: 'assay-third', callbackUrls: ['http://localhost:3000/callback'] },
  },
  ...stages,
};

test('C.08 cfn-lint finds no error in the templates of any stage, nor in another Region with every setting', {
  skip: whySkipped(),
}, async (t) => {
  const outdir = await temporaryDirectory(t);
  const app = quickApp({ outdir });
  const linted = Object.entries(STAGES);
  for (const [name, settings] of linted) new AssayStage(app, name, settings);
  app.synth();
  const templates = await Array.fromAsync(glob(`${outdir}/assembly-*/*.template.json`));
  assert.equal(templates.length, 7 * linted.length);

  const { stdout } = spawnSync('cfn-lint', ['--format', 'parseable', ...templates], { encoding: 'utf8' });
  // Warnings are left to CDK, which writes a dependency twice.
  assert.deepEqual(
    stdout.split('\n').filter((line) => /:E\d{4}:/.test(line)),
    [],
  );
});
