import { createPrivateKey, type KeyObject } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import tools from '../../../metadata/tools.json' with { type: 'json' };
import { Fault } from '../../errors.ts';
import { composeIqa, type Iqa } from '../../iqa/iqa.ts';
import { parseMetadata } from '../../iqa/metadata.ts';
import type { Blobs, Clock, Log, Table } from '../../ports.ts';
import { onnxEngine } from '../onnx/engine.ts';
import { blobModelFiles } from '../onnx/model-files.ts';
import { readSecret } from './secrets.ts';

interface Options {
  readonly table: Table;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly log: Log;
  readonly signingKey?: KeyObject | undefined;
  /** ONNX Runtime's execution providers; the processor alone unless given. */
  readonly providers?: readonly string[] | undefined;
}

/** The image side on AWS: pictures and models in S3, models placed in the machine's temporary folder when first used. */
export const awsIqa = ({ table, blobs, clock, log, signingKey, providers }: Options): Iqa =>
  composeIqa({
    catalogue: parseMetadata(JSON.stringify(tools), 'metadata/tools.json'),
    engine: onnxEngine({ log, ...(providers === undefined ? {} : { providers }) }),
    table,
    blobs,
    modelFiles: blobModelFiles(blobs, join(tmpdir(), 'assay-models')),
    clock,
    log,
    ...(signingKey === undefined ? {} : { signingKey }),
  });

/** The key that signs scores, where one is configured: a private Ed25519 key in PEM. */
export const readSigningKey = async (
  client: SecretsManagerClient,
  id: string | undefined,
): Promise<KeyObject | undefined> => {
  const pem = id === undefined ? undefined : await readSecret(client, id);
  if (pem === undefined) return undefined;
  const key = openKey(pem, id ?? '');
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new Fault('Unavailable', `the secret ${id} holds a key of the type ${key.asymmetricKeyType}, not ed25519`);
};

const openKey = (pem: string, id: string): KeyObject => {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    const cure = 'make one with: openssl genpkey -algorithm ed25519';
    throw new Fault('Unavailable', `the secret ${id} is not a private key in PEM; ${cure}`, {}, { cause });
  }
};
