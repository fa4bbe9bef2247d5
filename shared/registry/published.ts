import type { ApiKey } from '../model/key.ts';
import type { Family } from '../model/registration.ts';

/** File names and formats of what is published for the edge. Content-addressed files are immutable; pointers change. */

const ROOT = 'edge/';

export interface Pointer {
  readonly v: 1;
  readonly revision: number;
  /** Absent when it exceeds what the edge may hold: then the origin answers. */
  readonly file?: string;
  /** The size of the file, for the edge's limit on memory. */
  readonly bytes?: number;
  /** The file's content inlined when it is short, which saves a read from the bucket. */
  readonly content?: PublishedFamilies;
}

export interface PublishedFamilies {
  readonly v: 1;
  readonly families: readonly Family[];
}

/** A key as the edge needs it: its secret's digest, and what it may see. */
export type PublishedKey = Pick<ApiKey, 'id' | 'tenant' | 'digest' | 'scopes' | 'created_at'> &
  Partial<Pick<ApiKey, 'tools' | 'expires_at' | 'revoked_at' | 'rate'>> & { readonly v: 1 };

export const tenantFolder = (tenant: string): string => `${ROOT}tenants/${tenant}/`;
export const tenantPointer = (tenant: string): string => `${tenantFolder(tenant)}current.json`;
export const tenantFile = (tenant: string, revision: number, digest: string): string =>
  `${tenantFolder(tenant)}${String(revision).padStart(12, '0')}-${digest.slice(0, 16)}.json`;

export const layerFolder = `${ROOT}layer/`;
export const layerPointer = `${layerFolder}current.json`;
export const layerFile = (digest: string): string => `${layerFolder}${digest.slice(0, 32)}.json`;

/** Up to which time everything is published, in milliseconds since 1970. */
export interface AsOf {
  readonly v: 1;
  readonly as_of: number;
}

/** The header by which the edge asks the origin for a new beat. */
export const BEAT_HEADER = 'x-assay-beat';

export const asOfFile = `${ROOT}as-of.json`;
export const keyFile = (id: string): string => `${ROOT}keys/${id}.json`;
