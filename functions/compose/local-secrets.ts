import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The key that signs scores. */
export const signingKey = (folder: string): KeyObject =>
  createPrivateKey(
    madeOnce(join(folder, 'hallmark-key.pem'), () =>
      generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }),
    ),
  );

/** The key that signs access tokens. */
export const tokenKey = (folder: string): KeyObject =>
  createPrivateKey(
    madeOnce(join(folder, 'token-key.pem'), () =>
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }),
    ),
  );

/** The secret that signs this machine's upload addresses. */
export const uploadSecret = (folder: string): Uint8Array =>
  madeOnce(join(folder, 'upload-secret'), () => randomBytes(32));

/** The key that wraps the data keys of stored secrets. */
export const secretsKey = (folder: string): Uint8Array => madeOnce(join(folder, 'secrets-key'), () => randomBytes(32));

/**
 * A file that is created on first use, readable by its owner only. If two processes create it, both use the first one.
 */
const madeOnce = (file: string, make: () => string | Buffer): Buffer => {
  if (!existsSync(file)) {
    const whole = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
    writeFileSync(whole, make(), { mode: 0o600, flag: 'wx' });
    try {
      linkSync(whole, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(whole, { force: true });
    }
  }
  return readFileSync(file);
};
