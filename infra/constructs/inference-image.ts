import { existsSync } from 'node:fs';
import { IgnoreMode } from 'aws-cdk-lib';
import { DockerImageAsset, Platform } from 'aws-cdk-lib/aws-ecr-assets';
import type { Construct } from 'constructs';
import { fromRoot, root } from '../build/paths.ts';
import { missing } from './function-code.ts';

const DOCKERFILE = 'functions/inference/Dockerfile';
// Until the real one is there, something that can be fingerprinted; deploying is refused.
const STAND_IN = 'infra/build/stand-in.Dockerfile';

/** The image for pictures too large for a function with a layer, and for learned models: with or without CUDA. */
export const inferenceImage = (scope: Construct, id: string, target: 'cpu' | 'gpu'): DockerImageAsset => {
  const isThere = existsSync(fromRoot(DOCKERFILE));
  if (!isThere) missing(scope, DOCKERFILE);
  return new DockerImageAsset(scope, id, {
    directory: root,
    file: isThere ? DOCKERFILE : STAND_IN,
    target,
    platform: Platform.LINUX_AMD64,
    ignoreMode: IgnoreMode.DOCKER,
    // Only what the build reads: the fingerprint decides whether an image is built anew.
    exclude: [
      '*',
      ...['functions', 'shared', 'metadata', 'infra/build', 'package.json', 'package-lock.json', '.npmrc'].map(
        (path) => `!${path}`,
      ),
      'functions/cli',
      'functions/console',
      '**/*.md',
    ],
  });
};
