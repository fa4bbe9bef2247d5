import { spawnSync } from 'node:child_process';
import { AssetHashType, type AssetOptions } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type ISource, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { DockerImage } from 'aws-cdk-lib/core';
import { fromRoot, root } from '../build/paths.ts';

/** The bundle of a function. */
export const functionCode = (entry: string): Code => builtAsset('infra/build/bundle-cli.ts', entry);

/** What a script of ours writes into a folder. */
export const builtAsset = (script: string, ...args: readonly string[]): Code =>
  Code.fromAsset(root, builtBy(script, args));

export const builtSource = (script: string): ISource => Source.asset(root, builtBy(script, []));

/** The script runs as a process of its own, because synthesis cannot wait for promises. */
const builtBy = (script: string, args: readonly string[]): AssetOptions => ({
  assetHashType: AssetHashType.OUTPUT,
  bundling: {
    image: DockerImage.fromRegistry('not-used'),
    // Two assets with equal options would be taken for the same.
    environment: { script, args: args.join(' ') },
    local: {
      tryBundle(outdir) {
        const { status } = spawnSync(process.execPath, [fromRoot(script), ...args, outdir], {
          cwd: root,
          stdio: ['ignore', 'inherit', 'inherit'],
        });
        if (status !== 0) throw new Error(`${script} ${args.join(' ')} failed`);
        return true;
      },
    },
  },
});
