import { Architecture, type ILayerVersion, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { builtAsset } from './function-code.ts';

/** ONNX Runtime and sharp. Each stack has its own: a new version is a new resource, which no other stack may hold on to. */
export const onnxLayer = (scope: Construct): ILayerVersion =>
  new LayerVersion(scope, 'Onnx', {
    description: 'ONNX Runtime and sharp for Linux on x86_64',
    code: builtAsset('layers/onnx/build.ts'),
    compatibleRuntimes: [Runtime.NODEJS_24_X],
    compatibleArchitectures: [Architecture.X86_64],
  });
