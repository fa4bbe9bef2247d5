import { digestOf } from '../kernel/canonical-json.ts';
import { Fault } from '../kernel/errors.ts';
import { deepFreeze } from '../kernel/freeze.ts';
import { invalidInput } from '../kernel/zod-fault.ts';
import { type Family, type Registration, Snapshot, type VersionRecord } from '../model/registration.ts';
import { parseSpec } from './parse-definition.ts';
import { toRegistration } from './registration.ts';
import { resolveVersion } from './versions.ts';

/** Everything a tenant owns, sorted by name; `restoreSnapshot` reads it back exactly. */
export const takeSnapshot = (families: Iterable<Family>, revision: number): Snapshot => {
  const sorted = [...families].sort((a, b) => (a.name < b.name ? -1 : 1));
  return deepFreeze({
    v: 1,
    revision,
    tools: sorted.filter(({ versions }) => versions.length > 0).map(toSnapshotTool),
    disabled: sorted.filter(({ versions }) => versions.length === 0).map(({ name }) => name),
  });
};

export const toSnapshotTool = (family: Family): Registration & { readonly history: readonly VersionRecord[] } => {
  const record = resolveVersion(family) ?? family.versions[0];
  if (!record) throw new Error(`family ${family.name} has no versions`);
  return { ...toRegistration(family, record), history: family.versions };
};

/** Restores a snapshot, validating each spec and digest as on registration. */
export const restoreSnapshot = (input: unknown): readonly Family[] => {
  const parsed = Snapshot.safeParse(input);
  if (!parsed.success) throw invalidInput(parsed.error, input, 'the snapshot');
  const tools = parsed.data.tools.map((tool) => restoreTool(tool));
  const disabled = parsed.data.disabled.map((name): Family => ({ name, enabled: false, versions: [] }));
  const families = [...tools, ...disabled];
  const names = new Set(families.map(({ name }) => name));
  if (names.size < families.length)
    throw new Fault('InvalidInput', 'the snapshot names a tool twice; keep one of them');
  return deepFreeze(families);
};

interface SnapshotEntry {
  readonly enabled: boolean;
  readonly default_version: string;
  readonly history: readonly VersionRecord[];
}

const restoreTool = ({ enabled, default_version, history }: SnapshotEntry): Family => {
  const versions = history.map((record): VersionRecord => {
    const spec = parseSpec(record.spec);
    const digest = digestOf(spec);
    if (digest !== record.digest)
      throw new Fault(
        'InvalidInput',
        `the snapshot's ${spec.name} ${record.version} does not match its digest ${record.digest}`,
        {
          field: 'digest',
          value: record.digest,
          expected: digest,
        },
      );
    return { ...record, spec };
  });
  const name = versions[0]?.spec.name ?? '';
  if (versions.some(({ spec }) => spec.name !== name))
    throw new Fault('InvalidInput', `the snapshot mixes names in the history of ${name}`, { field: 'history' });
  if (!versions.some(({ version }) => version === default_version))
    throw new Fault('InvalidInput', `the snapshot's ${name} has no version ${default_version}, its default`, {
      field: 'default_version',
      value: default_version,
    });
  return { name, enabled, default_version, versions };
};
