import { randomBytes } from 'node:crypto';
import { type DataKeys, decrypt, encrypt } from '../../kernel/secret-box.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Data keys wrapped by a key of this machine: they are as safe as the file that holds it, and no safer. */
export const localDataKeys = (master: Uint8Array): DataKeys => ({
  async create(context) {
    const key = randomBytes(32);
    const { iv, tag, data } = encrypt(master, context, key);
    return { key, wrapped: Buffer.concat([iv, tag, data]) };
  },
  async open(wrapped, context) {
    return decrypt(master, context, {
      iv: wrapped.subarray(0, IV_BYTES),
      tag: wrapped.subarray(IV_BYTES, IV_BYTES + TAG_BYTES),
      data: wrapped.subarray(IV_BYTES + TAG_BYTES),
    });
  },
});
