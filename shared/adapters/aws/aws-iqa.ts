import type { KeyObject } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeIqa, type Iqa, type IqaPorts } from '../../iqa/iqa.ts';
import { shippedCatalogue } from '../../iqa/shipped-catalogue.ts';
import { tracedEngine } from '../../iqa/traced-engine.ts';
import type { Blobs, Clock, Log, Table } from '../../kernel/ports.ts';
import { onnxEngine } from '../onnx/engine.ts';
import { blobModelFiles } from '../onnx/model-files.ts';

interface Options {
  readonly table: Table;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly log: Log;
  readonly admitBytes?: IqaPorts['admitBytes'];
  readonly refusalOf?: IqaPorts['refusalOf'];
  readonly signingKey?: KeyObject | undefined;
  /** ONNX Runtime's execution providers; only the CPU by default. */
  readonly providers?: readonly string[] | undefined;
}

/** The image part on AWS: pictures and models are in S3; models are downloaded to the temporary folder on first use. */
export const awsIqa = ({ signingKey, providers, ...ports }: Options): Iqa =>
  composeIqa({
    ...ports,
    catalogue: shippedCatalogue(),
    engine: tracedEngine(onnxEngine({ log: ports.log, providers })),
    modelFiles: blobModelFiles(ports.blobs, join(tmpdir(), 'assay-models')),
    signingKey,
  });
