import { Size } from 'aws-cdk-lib';
import type { DockerImageAsset } from 'aws-cdk-lib/aws-ecr-assets';
import { Architecture, DockerImageCode, DockerImageFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type FunctionSettings, GrantedFunction } from './granted-function.ts';

export interface ContainerFunctionProps extends FunctionSettings {
  readonly image: DockerImageAsset;
}

/** A function from a container image, which carries its own ONNX Runtime: layers do not go with images. */
export class ContainerFunction extends GrantedFunction {
  readonly function: DockerImageFunction;

  constructor(scope: Construct, id: string, props: ContainerFunctionProps) {
    super(scope, id);
    const { repository, imageTag } = props.image;
    this.function = new DockerImageFunction(this, 'Function', {
      ...this.common(props),
      code: DockerImageCode.fromEcr(repository, { tagOrDigest: imageTag }),
      architecture: Architecture.X86_64,
      // Models are placed here before they are opened.
      ephemeralStorageSize: Size.gibibytes(10),
    });
  }
}
