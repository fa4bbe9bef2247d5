import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Annotations, AssetHashType, type AssetOptions } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type ISource, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { DockerImage } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { fromRoot, root } from '../build/paths.ts';

/** The bundle of a function. One whose source is not there is only a warning here; `npm run deploy` refuses warnings. */
export const functionCode = (scope: Construct, entry: string): Code => {
  if (!existsSync(fromRoot(entry))) {
    missing(scope, entry);
    return Code.fromInline(`throw new Error(${JSON.stringify(`${entry} was not there when this was deployed`)})`);
  }
  return builtAsset('infra/build/bundle-cli.ts', entry);
};

export const missing = (scope: Construct, path: string): void =>
  Annotations.of(scope).addWarningV2('assay:missing', `${path} is not there yet`);

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
