import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { canonicalJson } from './canonical-json.ts';
import { Fault } from './errors.ts';

/** What a secret belongs to. It is authenticated: a secret moved elsewhere cannot be decrypted. */
export type SecretContext = Readonly<Record<string, string>>;

/** Envelope encryption: creates keys for single secrets, each wrapped by a master key that is never handed out. */
export interface DataKeys {
  create(context: SecretContext): Promise<{ readonly key: Uint8Array; readonly wrapped: Uint8Array }>;
  open(wrapped: Uint8Array, context: SecretContext): Promise<Uint8Array>;
}

const Base64 = z.string();

/** A secret as stored: encrypted with a key of its own, beside that key, wrapped. */
export const SealedSecret = z.object({ key: Base64, iv: Base64, tag: Base64, data: Base64 });
export type SealedSecret = Readonly<z.infer<typeof SealedSecret>>;

const CIPHER = 'aes-256-gcm';

export const sealSecret = async (keys: DataKeys, context: SecretContext, text: string): Promise<SealedSecret> => {
  const { key, wrapped } = await keys.create(context);
  const { iv, tag, data } = encrypt(key, context, Buffer.from(text));
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  return { key: base64(wrapped), iv: base64(iv), tag: base64(tag), data: base64(data) };
};

/** Decrypts a secret; the error reveals nothing about one that was sealed for another context. */
export const openSecret = async (keys: DataKeys, context: SecretContext, sealed: SealedSecret): Promise<string> => {
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64');
  const key = await keys.open(bytes(sealed.key), context);
  const box = { iv: bytes(sealed.iv), tag: bytes(sealed.tag), data: bytes(sealed.data) };
  return Buffer.from(decrypt(key, context, box)).toString();
};

interface Box {
  readonly iv: Uint8Array;
  readonly tag: Uint8Array;
  readonly data: Uint8Array;
}

/** Encrypts with AES-256-GCM; the context is authenticated with it. */
export const encrypt = (key: Uint8Array, context: SecretContext, text: Uint8Array): Box => {
  const iv = randomBytes(12);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(canonicalJson(context)));
  const data = Buffer.concat([cipher.update(text), cipher.final()]);
  return { iv, tag: cipher.getAuthTag(), data };
};

export const decrypt = (key: Uint8Array, context: SecretContext, { iv, tag, data }: Box): Uint8Array => {
  try {
    const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: 16 })
      .setAAD(Buffer.from(canonicalJson(context)))
      .setAuthTag(tag);
    return Buffer.concat([decipher.update(data), decipher.final()]);
  } catch {
    throw new Fault('Unavailable', 'a stored secret cannot be opened here; give it again');
  }
};
