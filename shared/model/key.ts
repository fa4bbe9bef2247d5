import * as z from 'zod';
import { stored } from '../kernel/stored.ts';
import { ToolName } from './tool.ts';

/**
 * What a key may do. `admin` may do everything, and only it may act for another tenant; `tenant_admin` manages the
 * keys, grants, lists and usage of its own tenant.
 */
export const Scope = z.enum(['read', 'invoke', 'write', 'approve', 'tenant_admin', 'admin']);
export type Scope = z.infer<typeof Scope>;

export const TenantName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be 1 to 63 lower-case letters, digits, - or _');

/** The request to create a key. */
export const NewKey = z.strictObject({
  name: z.string().trim().min(1).max(128).optional(),
  tenant: TenantName.optional(),
  scopes: z.array(Scope).min(1).max(6),
  tools: z.array(ToolName).max(200).optional(),
  quota: z
    .strictObject({ calls: z.int().nonnegative().optional(), micros: z.int().nonnegative().optional() })
    .optional(),
  rate: z
    .strictObject({ per_second: z.number().positive().max(100_000), burst: z.int().positive().max(100_000) })
    .optional()
    .meta({
      description:
        'Requests a second and at once, over all processes. Without it a server lets a key send 500 a second, 2,000 at once (`ASSAY_DEFAULT_RATE`), each process for itself.',
    }),
  expires_at: z.iso.datetime().optional(),
});
export type NewKey = Readonly<z.infer<typeof NewKey>>;

/** A key as stored: the digest of its secret, never the secret. */
const ApiKey = z.object({
  ...NewKey.shape,
  id: z.string(),
  tenant: z.string(),
  digest: z.string(),
  created_at: z.iso.datetime(),
  revoked_at: z.iso.datetime().optional(),
});
export type ApiKey = Readonly<z.infer<typeof ApiKey>>;

export const ApiKeyItem = stored<ApiKey>({
  what: 'API key',
  schema: ApiKey,
  cure: 'make a new key, or restore this one from a backup',
});
/** Marks that a tenant has a key. */
export const KeyOfTenantItem = stored({ what: 'entry of a key', schema: z.object({ id: z.string() }) });

/** Marks that a tenant exists: it was given a key. */
export const TenantItem = stored({ what: 'entry of a tenant', schema: z.object({ tenant: z.string() }) });

/** The state of a key's rate-limit bucket. */
export const BucketItem = stored({
  what: 'bucket of requests',
  schema: z.object({ tokens: z.number(), at: z.number() }),
  cure: 'it is forgotten within an hour; use another key until then',
});

/** A key as it is listed. */
export type KeyView = Omit<ApiKey, 'digest'>;

/** Who is calling. */
export interface Actor {
  readonly keyId: string;
  readonly tenant: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The tools this key is confined to; all when absent. */
  readonly tools?: ReadonlySet<string>;
  readonly key?: ApiKey;
  /** The OAuth client that uses the key, if any. */
  readonly principal?: string;
  /** The key that pays for the plan these calls belong to, and whose grants they use. */
  readonly onBehalfOf?: string;
  /** Of a plan's call: how many plans it is inside of. */
  readonly planDepth?: number;
  /** Of a plan's call: the run to which it belongs, the outermost of those it is inside of. */
  readonly planRoot?: string | undefined;
}
