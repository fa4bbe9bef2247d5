import { spawnSync } from 'node:child_process';

/** `npm run destroy -- dev`: removes a stage; what holds data stays, and is listed. */
const [stage, ...options] = process.argv.slice(2);
if (stage === undefined || stage.startsWith('-')) {
  console.error('usage: npm run destroy -- <stage> [cdk options], e.g. npm run destroy -- dev');
  process.exitCode = 2;
} else {
  const { status } = spawnSync('cdk', ['destroy', `${stage}/*`, ...options], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
  console.error(
    status === 0
      ? `Removed. The table, the buckets and the secrets of ${stage} are kept: infra/README.md says how to remove them too.`
      : `CloudFront takes hours to give up its copies of the edge function, and until then it cannot be removed. Run npm run destroy -- ${stage} again tomorrow: what is gone already is passed over.`,
  );
}
