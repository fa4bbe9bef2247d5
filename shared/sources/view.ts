import type { Family } from '../model/registration.ts';
import type { Source } from '../model/source.ts';
import { toolsOfSource } from './family-index.ts';
import { type VersionStep, versionStep } from './tool-change.ts';

/** A tool that differs from what was approved: changed, new or gone. */
export interface Drift {
  readonly tool: string;
  /** The approved version; null for a tool that is new. */
  readonly from: string | null;
  /** What the source has; null for a tool that is gone. */
  readonly to: string | null;
  readonly change: VersionStep | 'added' | 'removed';
}

/** A source as callers see it. Secrets are stored elsewhere. */
export type SourceView = Omit<Source, 'lease' | 'due' | 'error' | 'changed_at' | 'policy'> & {
  readonly policy: 'auto' | 'review';
  readonly status: 'ok' | 'failing' | 'new';
  readonly tools: number;
  readonly drift: readonly Drift[];
  readonly error?: string | undefined;
  readonly due_at: string;
  readonly refreshing: boolean;
};

/** The view of a source with its tools in a tenant's catalogue. */
export const viewSource = (source: Source, own: ReadonlyMap<string, Family>, now: number): SourceView => {
  const { lease, due, error, changed_at: _, ...rest } = source;
  const families = toolsOfSource(own, source.name);
  return {
    ...rest,
    policy: rest.policy ?? 'review',
    status: error === undefined ? (rest.refreshed_at === undefined ? 'new' : 'ok') : 'failing',
    tools: families.filter(({ source: of }) => of.seen !== undefined).length,
    drift: families.flatMap(driftOf),
    error,
    due_at: new Date(due).toISOString(),
    refreshing: lease !== undefined && lease.until > now,
  };
};

const driftOf = (family: ReturnType<typeof toolsOfSource>[number]): readonly Drift[] => {
  const { seen, waiting } = family.source;
  const tool = family.name;
  const approved = family.versions.find(
    ({ version }) => version === family.default_version && !waiting.includes(version),
  );
  const from = approved?.version ?? null;
  if (seen === undefined) return [{ tool, from, to: null, change: 'removed' }];
  if (!waiting.includes(seen)) return [];
  const last = family.versions.find(({ version }) => version === seen);
  const change = approved && last ? versionStep(approved.spec, last.spec) : 'added';
  return [{ tool, from, to: seen, change }];
};
