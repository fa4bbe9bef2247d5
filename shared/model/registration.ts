import * as z from 'zod';
import { stored } from '../kernel/stored.ts';
import { UNVERSIONED } from '../kernel/version-order.ts';
import { isFamily } from './family-guard.ts';
import { type Tool, ToolName, ToolSpec, Version } from './tool.ts';

export const VersionName = z.union([Version, z.literal(UNVERSIONED)]);

/** One stored version of a tool. */
export const VersionRecord = z.strictObject({
  version: VersionName,
  spec: ToolSpec,
  digest: z.string(),
  created_at: z.iso.datetime().optional(),
  deprecated: z.union([z.literal(true), z.string().min(1)]).optional(),
});
export type VersionRecord = Readonly<z.infer<typeof VersionRecord>> & { readonly spec: Tool };

/** The source that registered a family, and which of its versions are approved. */
export const FamilySource = z.object({
  name: z.string(),
  /** The upstream's own name of the tool. */
  tool: z.string(),
  /** The version that the upstream had at the last refresh; absent when the tool has vanished. */
  seen: VersionName.optional(),
  /** Unapproved versions: they can neither be called nor become the default. */
  waiting: z.array(VersionName),
  /** The digest of the upstream's definition, by version. */
  digests: z.record(z.string(), z.string()),
});
export type FamilySource = {
  readonly name: string;
  readonly tool: string;
  readonly seen?: string | undefined;
  readonly waiting: readonly string[];
  readonly digests: Readonly<Record<string, string>>;
};

/** Everything stored of one tool name: its versions, and its mutable state. */
export const Family = z.strictObject({
  name: ToolName,
  enabled: z.boolean(),
  default_version: VersionName.optional(),
  // Empty when a tenant has only disabled a shipped tool.
  versions: z.array(VersionRecord),
  /** Why the source disabled it; absent where a person did. */
  disabled_reason: z.string().optional(),
  source: FamilySource.optional(),
});
export type Family = {
  readonly name: string;
  readonly enabled: boolean;
  readonly default_version?: string | undefined;
  readonly versions: readonly VersionRecord[];
  readonly disabled_reason?: string | undefined;
  readonly source?: FamilySource | undefined;
};

/** A stored family: unlike a registration it may have fields added by a later release. */
export const FamilyItem = stored<Family>({
  what: 'tool family',
  schema: Family.extend({
    versions: z.array(VersionRecord.extend({ spec: z.object(ToolSpec.shape) }).loose()),
  }).loose(),
  guard: isFamily,
  cure: 'restore it from a backup, or remove the tool and register it again',
});

/**
 * The number of changes to a tenant's tools, and the bytes of their definitions; `counted` when these include every
 * tool, also those of releases that did not count.
 */
const Revision = z.object({ revision: z.int(), bytes: z.int().optional(), counted: z.literal(true).optional() });
export type Revision = Readonly<z.infer<typeof Revision>>;
export const RevisionItem = stored<Revision>({ what: 'revision', schema: Revision });

/** The tools changed by one revision. */
export const ChangeItem = stored({ what: 'list of changes', schema: z.object({ names: z.array(z.string()) }) });

/** One version as callers see it, with the state of its family. */
export interface Registration {
  readonly id: string;
  readonly spec: Tool;
  readonly digest: string;
  readonly enabled: boolean;
  readonly default_version: string;
  readonly versions: readonly string[];
  readonly deprecated?: true | string;
  readonly created_at?: string;
  readonly warnings?: readonly string[];
  /** The source it comes from, and its unapproved versions. */
  readonly source?: string;
  readonly waiting?: readonly string[];
  readonly disabled_reason?: string;
}

/** A registration with all its versions. */
export const SnapshotTool = z.looseObject({
  enabled: z.boolean(),
  default_version: VersionName,
  history: z.array(VersionRecord).min(1),
});

export const Snapshot = z.strictObject({
  v: z.literal(1),
  revision: z.int().nonnegative(),
  tools: z.array(SnapshotTool),
  // Shipped tools that the tenant has disabled.
  disabled: z.array(ToolName),
});
export interface Snapshot {
  readonly v: 1;
  readonly revision: number;
  readonly tools: readonly (Registration & { readonly history: readonly VersionRecord[] })[];
  readonly disabled: readonly string[];
}
