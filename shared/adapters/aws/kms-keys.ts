import { AwsClient } from 'aws4fetch';
import { Fault, messageOf } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import type { DataKeys } from '../../kernel/secret-box.ts';
import type { Credentials } from './invoke-function.ts';

interface Options {
  /** The key's ARN. */
  readonly keyId: string;
  readonly region: string;
  /** Asked each time, as they are renewed while a function lives. */
  readonly credentials: () => Credentials;
  readonly endpoint?: string | undefined;
}

const TIMEOUT_MS = 5000;

/** Data keys made and opened by KMS; the context is its encryption context, so it must be the same for both. */
export const kmsDataKeys = ({ keyId, region, credentials, endpoint }: Options): DataKeys => {
  const url = endpoint ?? `https://kms.${region}.amazonaws.com`;
  const call = async (action: string, input: object, field: string): Promise<Record<string, Uint8Array>> => {
    const client = new AwsClient({ ...credentials(), region, service: 'kms', retries: 3 });
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${action}` };
    const response = await client
      .fetch(url, { method: 'POST', headers, body: JSON.stringify(input), signal: AbortSignal.timeout(TIMEOUT_MS) })
      .catch((cause: unknown) => {
        throw new Fault('Unavailable', `the key of secrets cannot be reached: ${messageOf(cause)}`, {}, { cause });
      });
    const answer: unknown = await response.json().catch(() => undefined);
    if (!response.ok || !isObject(answer) || typeof answer[field] !== 'string') throw refusal(response.status, answer);
    return Object.fromEntries(
      Object.entries(answer).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, Buffer.from(value, 'base64')]] : [],
      ),
    );
  };
  return {
    async create(context) {
      const input = { KeyId: keyId, KeySpec: 'AES_256', EncryptionContext: context };
      const { Plaintext, CiphertextBlob } = await call('GenerateDataKey', input, 'Plaintext');
      return { key: Plaintext ?? new Uint8Array(), wrapped: CiphertextBlob ?? new Uint8Array() };
    },
    async open(wrapped, context) {
      const blob = Buffer.from(wrapped).toString('base64');
      const input = { KeyId: keyId, CiphertextBlob: blob, EncryptionContext: context };
      const { Plaintext } = await call('Decrypt', input, 'Plaintext');
      return Plaintext ?? new Uint8Array();
    },
  };
};

// KMS names its error, and nothing of the secret.
const refusal = (status: number, answer: unknown): Fault => {
  const type = isObject(answer) && typeof answer.__type === 'string' ? answer.__type : '';
  return type.includes('InvalidCiphertext')
    ? new Fault('Unavailable', 'a stored secret cannot be opened here; give it again')
    : new Fault('Unavailable', `the key of secrets refuses: ${status} ${type}`, { status });
};
