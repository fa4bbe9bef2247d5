import { IgnoreMode } from 'aws-cdk-lib';
import { DockerImageAsset, Platform } from 'aws-cdk-lib/aws-ecr-assets';
import type { Construct } from 'constructs';
import { root } from '../build/paths.ts';

/** The image for pictures too large for a function with a layer, and for learned models: with or without CUDA. */
export const inferenceImage = (scope: Construct, id: string, target: 'cpu' | 'gpu'): DockerImageAsset =>
  new DockerImageAsset(scope, id, {
    directory: root,
    file: 'functions/inference/Dockerfile',
    target,
    platform: Platform.LINUX_AMD64,
    ignoreMode: IgnoreMode.DOCKER,
    // Only what the build reads: the fingerprint decides whether an image is built anew.
    exclude: [
      '*',
      ...[
        'functions',
        'shared',
        'metadata',
        'infra/build',
        'layers/onnx/no-download',
        'package.json',
        'package-lock.json',
        '.npmrc',
      ].map((path) => `!${path}`),
      'functions/cli',
      'functions/console',
      '**/*.md',
    ],
  });
