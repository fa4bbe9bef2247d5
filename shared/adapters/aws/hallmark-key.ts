import { createPrivateKey, hash, type KeyObject } from 'node:crypto';

// The prefix of the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410).
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The key that signs scores. A stack can generate a random text but no key, so the key is the text's digest. */
export const hallmarkKey = (secret: string): KeyObject => {
  const seed = hash('sha256', `hallmark ${secret}`, 'buffer');
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
};
