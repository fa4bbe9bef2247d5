import { spawnSync } from 'node:child_process';

/** `npm run deploy -- dev`: deploys a stage; what is missing, and findings of the checks, stop it before anything is sent. */
const [stage, ...options] = process.argv.slice(2);
if (stage === undefined || stage.startsWith('-')) {
  console.error('usage: npm run deploy -- <stage> [cdk options], e.g. npm run deploy -- dev');
  process.exitCode = 2;
} else {
  const args = ['deploy', `${stage}/*`, '--strict', '--concurrency', '2', '--outputs-file', `cdk.out/${stage}.json`];
  const { status } = spawnSync('cdk', [...args, ...options], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
