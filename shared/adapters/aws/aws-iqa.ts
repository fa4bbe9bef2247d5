import type { KeyObject } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tools from '../../../metadata/tools.json' with { type: 'json' };
import { composeIqa, type Iqa, type IqaPorts } from '../../iqa/iqa.ts';
import { parseMetadata } from '../../iqa/metadata.ts';
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
  readonly signingKey?: KeyObject | undefined;
  /** ONNX Runtime's execution providers; the processor alone unless given. */
  readonly providers?: readonly string[] | undefined;
}

/** The image side on AWS: pictures and models in S3, models placed in the machine's temporary folder when first used. */
export const awsIqa = ({ table, blobs, clock, log, admitBytes, signingKey, providers }: Options): Iqa =>
  composeIqa({
    catalogue: parseMetadata(JSON.stringify(tools), 'metadata/tools.json'),
    engine: tracedEngine(onnxEngine({ log, providers })),
    table,
    blobs,
    modelFiles: blobModelFiles(blobs, join(tmpdir(), 'assay-models')),
    clock,
    log,
    admitBytes,
    signingKey,
  });
