import type { Key } from './ports.ts';

/** Every key shape of the one table. Nobody else writes a `T#` or a `TOOL#`. */

const tenantPk = (tenant: string): string => `T#${tenant}`;

export const revisionKey = (tenant: string): Key => ({ pk: tenantPk(tenant), sk: 'REVISION' });

export const CHANGE_PREFIX = 'CHANGE#';
// Twelve digits keep the text order that of the numbers.
export const changeKey = (tenant: string, revision: number): Key => ({
  pk: tenantPk(tenant),
  sk: `${CHANGE_PREFIX}${String(revision).padStart(12, '0')}`,
});

export const TOOL_PREFIX = 'TOOL#';
export const toolKey = (tenant: string, name: string): Key => ({ pk: tenantPk(tenant), sk: `${TOOL_PREFIX}${name}` });
export const toolsPk = tenantPk;

export const apiKeyKey = (id: string): Key => ({ pk: `KEY#${id}`, sk: 'KEY' });
export const KEY_OF_TENANT_PREFIX = 'KEYOF#';
export const keyOfTenantKey = (tenant: string, id: string): Key => ({
  pk: tenantPk(tenant),
  sk: `${KEY_OF_TENANT_PREFIX}${id}`,
});

export const onceKey = (tenant: string, digest: string): Key => ({ pk: `T#${tenant}#ONCE#${digest}`, sk: 'ONCE' });

/** A score is known by its picture, tool, what computed it, and reference. */
export const SCORE_PREFIX = 'SCORE#';
export const imagePk = (tenant: string, sha256: string): string => `T#${tenant}#IMAGE#${sha256}`;
export const scoreKey = (tenant: string, image: string, tool: string, digests: string): Key => ({
  pk: imagePk(tenant, image),
  sk: `${SCORE_PREFIX}${tool}#${digests}`,
});
