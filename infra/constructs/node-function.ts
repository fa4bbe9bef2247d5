import { Architecture, type ILayerVersion, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { functionCode } from './function-code.ts';
import { type FunctionSettings, GrantedFunction } from './granted-function.ts';

export interface NodeFunctionProps extends FunctionSettings {
  readonly entry: string;
  /** ONNX Runtime and sharp. Their fast kernels are for x86_64; on arm64 ONNX Runtime does not even start in Lambda. */
  readonly onnx?: ILayerVersion;
  readonly reservedConcurrency?: number;
}

/** A function bundled from a file of ours. */
export class NodeFunction extends GrantedFunction {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, props: NodeFunctionProps) {
    super(scope, id);
    const { entry, onnx, reservedConcurrency } = props;
    this.function = new LambdaFunction(this, 'Function', {
      ...this.common(props),
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: functionCode(entry),
      architecture: onnx ? Architecture.X86_64 : Architecture.ARM_64,
      layers: onnx ? [onnx] : [],
      reservedConcurrentExecutions: reservedConcurrency,
    });
  }
}
