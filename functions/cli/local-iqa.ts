import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onnxEngine } from '../../shared/adapters/onnx/engine.ts';
import { blobModelFiles } from '../../shared/adapters/onnx/model-files.ts';
import { composeIqa, type Iqa } from '../../shared/iqa/iqa.ts';
import { loadMetadata } from '../../shared/iqa/metadata.ts';
import type { Blobs, Clock, Log, Table } from '../../shared/kernel/ports.ts';

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
    signingKey: signingKey(join(folder, 'hallmark-key.pem')),
  });

/** Where the graphs that ran lie as files. */
export const graphFolder = (folder: string): string => join(folder, 'graph-cache');

/** The key that signs scores, made on first use and readable by its owner alone. */
const signingKey = (file: string): KeyObject => {
  if (!existsSync(file)) {
    const { privateKey } = generateKeyPairSync('ed25519');
    try {
      writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600, flag: 'wx' });
    } catch (error) {
      // Another process was first: its key is the one.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return createPrivateKey(readFileSync(file));
};
