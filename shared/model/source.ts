import * as z from 'zod';
import { Lease } from '../kernel/lease.ts';
import { stored } from '../kernel/stored.ts';
import { Credentials } from './credentials.ts';
import { Permission } from './tool.ts';

export const SourceName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,30}$/, 'must be 1 to 31 lower-case letters, digits, - or _, and begin with a letter');

export const SourceKind = z.enum(['mcp', 'openapi', 'lambda']);
export type SourceKind = z.infer<typeof SourceKind>;

/** Whether changed tools wait for approval; `auto` accepts changes that only add to the input. */
export const SourcePolicy = z.enum(['auto', 'review']);

const Prefix = z.string().regex(/^([A-Za-z_][A-Za-z0-9_.-]{0,31})?$/, 'must be at most 32 letters, digits, _ . or -');

/** Settings of a source's tools; all but the prefix can be changed later. */
const settings = {
  /**
   * Fixed when the source is added. Tools are named `<prefix>_<name>`: the source's name by default, the bare name for
   * an empty prefix.
   */
  prefix: Prefix.optional(),
  /** The upstream's names of the tools to take; all when absent. */
  allowed: z.array(z.string().min(1).max(256)).max(1000).optional(),
  permission: Permission.optional(),
  /** Whether a tool that declares itself read-only is `safe`. Otherwise an upstream's hints lower no permission. */
  trust_read_only: z.boolean().optional(),
  price_micros: z.int().nonnegative().optional(),
  policy: SourcePolicy.optional(),
  refresh_minutes: z.int().min(1).max(10_080).optional(),
};

const Url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2048);

/** The request to add a source. */
export const NewSource = z.strictObject({
  name: SourceName,
  kind: SourceKind,
  url: Url.optional(),
  /** A function that the operator configured for this tenant. */
  alias: z.string().min(1).max(64).optional(),
  ...settings,
});
export type NewSource = Readonly<z.infer<typeof NewSource>>;

/** An OpenAPI document, as an object or as text; `url` is then the API's own address. */
const Document = z.union([z.string().min(1), z.record(z.string(), z.unknown())]);

/** The request to add a source, with its credentials, which are never shown again. */
export const SourceRequest = z.strictObject({
  ...NewSource.shape,
  document: Document.optional(),
  ...Credentials.shape,
});
export type SourceRequest = Readonly<z.infer<typeof SourceRequest>>;

/** What may change of a source; null resets a setting to its default. */
export const SourceChange = z.strictObject({
  url: Url.optional(),
  allowed: settings.allowed.nullable(),
  permission: settings.permission.nullable(),
  trust_read_only: settings.trust_read_only.nullable(),
  price_micros: settings.price_micros.nullable(),
  policy: settings.policy.nullable(),
  refresh_minutes: settings.refresh_minutes.nullable(),
  /** These replace the stored credentials; null for both removes them. A new url drops those of the old one. */
  headers: Credentials.shape.headers.nullable(),
  secret: Credentials.shape.secret.nullable(),
  document: Document.optional(),
});
export type SourceChange = Readonly<z.infer<typeof SourceChange>>;

/** Something in an upstream's list that could not be used. */
export const SourceProblem = z.object({ tool: z.string(), reason: z.string() });
export type SourceProblem = Readonly<z.infer<typeof SourceProblem>>;

/** A source as stored: its settings, how its last refresh went, and who is refreshing it. */
const Source = z.object({
  ...NewSource.shape,
  /** Who manages it: requests, or the operator's configuration. */
  origin: z.enum(['request', 'config']),
  created_at: z.iso.datetime(),
  /** Changes with its settings: connections opened before are not reused. */
  changed_at: z.iso.datetime(),
  /** The last refresh that succeeded; absent before the first. */
  refreshed_at: z.iso.datetime().optional(),
  /** Why the last refresh failed. */
  error: z.string().optional(),
  problems: z.array(SourceProblem).optional(),
  /** The next refresh, in milliseconds since 1970. */
  due: z.number(),
  lease: Lease.optional(),
  /** Whether credentials are stored for it. */
  has_secret: z.boolean().optional(),
  /** Present when each caller needs an account there; its tools are listed with the account of this key. */
  accounts: z.object({ listed_by: z.string() }).optional(),
});
export type Source = Readonly<z.infer<typeof Source>>;

export const SourceItem = stored<Source>({
  what: 'source',
  schema: Source,
  cure: 'remove the source and add it again',
});

/** Marks that a tenant has a source, and when its refresh is due, so that one schedule serves all tenants. */
export const SourceDueItem = stored({
  what: 'entry of a source',
  schema: z.object({ tenant: z.string(), name: z.string(), due: z.number() }),
});
