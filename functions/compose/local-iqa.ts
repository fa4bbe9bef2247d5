import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onnxEngine } from '../../shared/adapters/onnx/engine.ts';
import { blobModelFiles } from '../../shared/adapters/onnx/model-files.ts';
import { composeIqa, type Iqa } from '../../shared/iqa/iqa.ts';
import { loadMetadata } from '../../shared/iqa/metadata.ts';
import type { Blobs, Clock, Log, Table } from '../../shared/kernel/ports.ts';
import { signingKey } from './local-secrets.ts';

interface Options {
  readonly folder: string;
  readonly table: Table;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly log: Log;
  /** ONNX Runtime's execution providers, such as `cuda,cpu`. */
  readonly providers?: readonly string[];
}

const metadata = fileURLToPath(new URL('../../metadata/tools.json', import.meta.url));

/** The image side on one machine: models and the signing key lie in the data directory. */
export const localIqa = async ({ folder, table, blobs, clock, log, providers }: Options): Promise<Iqa> =>
  composeIqa({
    catalogue: await loadMetadata(metadata, (file) => readFile(file, 'utf8')),
    engine: onnxEngine({ log, graphFolder: graphFolder(folder), providers }),
    table,
    blobs,
    modelFiles: blobModelFiles(blobs, join(folder, 'model-cache')),
    clock,
    log,
    signingKey: signingKey(folder),
  });

/** Where the graphs that ran lie as files. */
export const graphFolder = (folder: string): string => join(folder, 'graph-cache');
