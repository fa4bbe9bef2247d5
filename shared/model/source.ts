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

/** Whether changed tools wait for a person; `auto` admits changes that only add to the input. */
export const SourcePolicy = z.enum(['auto', 'review']);

const Prefix = z.string().regex(/^([A-Za-z_][A-Za-z0-9_.-]{0,31})?$/, 'must be at most 32 letters, digits, _ . or -');

/** What whoever adds a source decides about its tools; all of it can be changed later. */
const settings = {
  /** Fixed when it is added. Tools are named `<prefix>_<name>`; the source's name unless given, and the bare name for an empty one. */
  prefix: Prefix.optional(),
  /** The upstream's names of the tools to take; all when absent. */
  allowed: z.array(z.string().min(1).max(256)).max(1000).optional(),
  permission: Permission.optional(),
  /** Whether a tool that says it only reads is `safe`. An upstream's own hints lower nothing by themselves. */
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

/** The request to add a source, with what is sent to it and never shown again. */
export const SourceRequest = z.strictObject({
  ...NewSource.shape,
  document: Document.optional(),
  ...Credentials.shape,
});
export type SourceRequest = Readonly<z.infer<typeof SourceRequest>>;

/** What may change of a source; null takes a setting back to its default. */
export const SourceChange = z.strictObject({
  url: Url.optional(),
  allowed: settings.allowed.nullable(),
  permission: settings.permission.nullable(),
  trust_read_only: settings.trust_read_only.nullable(),
  price_micros: settings.price_micros.nullable(),
  policy: settings.policy.nullable(),
  refresh_minutes: settings.refresh_minutes.nullable(),
  /** These replace all that was kept; null for both takes it away. A new url drops what was kept for the old one. */
  headers: Credentials.shape.headers.nullable(),
  secret: Credentials.shape.secret.nullable(),
  document: Document.optional(),
});
export type SourceChange = Readonly<z.infer<typeof SourceChange>>;

/** Something that could not be used of what an upstream lists. */
export const SourceProblem = z.object({ tool: z.string(), reason: z.string() });
export type SourceProblem = Readonly<z.infer<typeof SourceProblem>>;

/** A source as stored: what was decided about it, how its last refresh went, and who is refreshing it. */
const Source = z.object({
  ...NewSource.shape,
  /** Who decides about it: a request, or the operator's configuration. */
  origin: z.enum(['request', 'config']),
  created_at: z.iso.datetime(),
  /** Changed with its settings: connections of an earlier state are not used. */
  changed_at: z.iso.datetime(),
  /** The last refresh that worked; absent before the first. */
  refreshed_at: z.iso.datetime().optional(),
  /** Why the last refresh did not work. */
  error: z.string().optional(),
  problems: z.array(SourceProblem).optional(),
  /** The next refresh, in milliseconds since 1970. */
  due: z.number(),
  lease: Lease.optional(),
  /** Whether credentials are kept for it. */
  has_secret: z.boolean().optional(),
  /** Whether each caller needs an account there; its tools are listed by the account of this key. */
  accounts: z.object({ listed_by: z.string() }).optional(),
});
export type Source = Readonly<z.infer<typeof Source>>;

export const SourceItem = stored<Source>({
  what: 'source',
  schema: Source,
  cure: 'remove the source and add it again',
});

/** Marks that a tenant has a source, and when it is due, so that one schedule serves all tenants. */
export const SourceDueItem = stored({
  what: 'entry of a source',
  schema: z.object({ tenant: z.string(), name: z.string(), due: z.number() }),
});
