import { stages } from '../config.ts';
import { ask, cdk, runScript, StepFailed } from './cdk.ts';
import { findGpuZones } from './gpu-zones.ts';
import { type StageArguments, UsageError } from './stage-arguments.ts';

const synthesise = (stage: string, alarmEmail: string): string => {
  const { gpu, region } = stages[stage as keyof typeof stages];
  const zones = gpu && !gpu.zones ? ['--context', `gpuZones=${findGpuZones(region).join(',')}`] : [];
  const context = ['--context', `alarmEmail=${alarmEmail}`, ...zones];
  cdk('synth', `${stage}/*`, '--strict', '--quiet', '--output', 'cdk.out', ...context);
  return 'cdk.out';
};

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Alarms need a recipient: an address, or explicitly `none`. */
const subscriber = async ({ stage, yes, alarmEmail }: StageArguments): Promise<string> => {
  const settled = stages[stage as keyof typeof stages];
  const answer =
    alarmEmail ?? settled.alarmEmail ?? (yes ? '' : await ask('Who hears of alarms? An e-mail address, or "none": '));
  if (answer === 'none' || EMAIL.test(answer)) return answer;
  throw new UsageError(
    `${answer === '' ? 'Nobody would hear of alarms' : `"${answer}" is no e-mail address`}. Say --alarm-email you@example.com (or none), or set alarmEmail of ${stage} in infra/config.ts.`,
  );
};

/**
 * `npm run deploy -- dev`: synthesises, shows the whole difference, asks once and deploys. The CDK cannot ask about
 * security changes while it deploys two stacks at a time, so confirming the difference shown here includes them.
 */
await runScript('deploy', async (given) => {
  const { stage, yes, options } = given;
  const app = given.app ?? synthesise(stage, await subscriber(given));
  const stacks = `${stage}/*`;
  cdk('diff', stacks, '--app', app, '--method', 'template');
  if (!yes && !/^y(es)?$/i.test(await ask(`Deploy this to ${stage}? [y/N] `)))
    throw new StepFailed('Nothing was deployed. Answer y, or say --yes where nobody can be asked.');
  cdk(
    ...['deploy', stacks, '--app', app, '--require-approval', 'never', '--concurrency', '2'],
    ...['--outputs-file', `cdk.out/${stage}.json`, ...options],
  );
});
