import { ask, cdk, runScript, StepFailed } from './cdk.ts';

/** `npm run destroy -- dev`: asks once and removes a stage. Resources with data are kept and listed. */
await runScript('destroy', async ({ stage, yes, app, options }) => {
  if (!yes && (await ask(`Remove the functions, the address and the alarms of ${stage}? Type its name: `)) !== stage)
    throw new StepFailed('Nothing was removed. Type the name of the stage, or say --yes where nobody can be asked.');
  try {
    cdk('destroy', `${stage}/*`, '--force', ...(app === undefined ? [] : ['--app', app]), ...options);
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    throw new StepFailed(
      `CloudFront takes hours to give up its copies of the edge function, and until then it cannot be removed. Run npm run destroy -- ${stage} again tomorrow: what is gone already is passed over.`,
    );
  }
  console.error(
    `Removed. The table, the buckets and the secrets of ${stage} are kept: infra/README.md says how to remove them too.`,
  );
});
