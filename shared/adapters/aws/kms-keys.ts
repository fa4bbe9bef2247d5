import { Fault, messageOf } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import type { DataKeys } from '../../kernel/secret-box.ts';
import { isNamed } from './aws-failures.ts';
import type { JsonCall } from './json-service.ts';

/** Data keys of KMS; the context is the encryption context, so it must be the same for both operations. */
export const kmsDataKeys = (call: JsonCall, keyId: string): DataKeys => {
  const ask = async (action: string, input: object, fields: readonly string[]): Promise<readonly Uint8Array[]> => {
    const answer = await call(action, { KeyId: keyId, ...input }).catch((thrown: unknown) => {
      throw refusal(thrown);
    });
    const values = fields.map((field) => (isObject(answer) ? answer[field] : undefined));
    return values.map((value) => {
      if (typeof value !== 'string') throw new Fault('Unavailable', `KMS answered ${action} without a key; try again`);
      return Buffer.from(value, 'base64');
    });
  };
  return {
    async create(context) {
      const input = { KeySpec: 'AES_256', EncryptionContext: context };
      const [key = NONE, wrapped = NONE] = await ask('GenerateDataKey', input, ['Plaintext', 'CiphertextBlob']);
      return { key, wrapped };
    },
    async open(wrapped, context) {
      const input = { CiphertextBlob: Buffer.from(wrapped).toString('base64'), EncryptionContext: context };
      const [key = NONE] = await ask('Decrypt', input, ['Plaintext']);
      return key;
    },
  };
};

const NONE = new Uint8Array();

// KMS's error contains nothing of the secret.
const refusal = (thrown: unknown): Fault => {
  const cause = { cause: thrown };
  if (isNamed(thrown, 'InvalidCiphertextException'))
    return new Fault('Unavailable', 'a stored secret cannot be opened here; give it again', {}, cause);
  const { status } = thrown as { readonly status?: number };
  return status === undefined
    ? new Fault('Unavailable', `the key of secrets cannot be reached: ${messageOf(thrown)}`, {}, cause)
    : new Fault('Unavailable', `the key of secrets refuses: ${status} ${(thrown as Error).name}`, { status }, cause);
};
