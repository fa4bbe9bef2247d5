import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** Serialises by RFC 8785: one text per JSON value, whatever the order of its keys. */
export const canonicalJson = (value: unknown): string => canonicalize(value) ?? 'null';

export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** The digest of a definition: SHA-256 of its canonical JSON. */
export const digestOf = (value: unknown): string => sha256(canonicalJson(value));
