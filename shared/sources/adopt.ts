import { digestOf } from '../kernel/canonical-json.ts';
import { deepFreeze } from '../kernel/freeze.ts';
import { compareVersions } from '../kernel/version-order.ts';
import type { Family, FamilySource, VersionRecord } from '../model/registration.ts';
import type { Tool } from '../model/tool.ts';
import { toRecord } from '../registry/register.ts';
import type { SeenTool } from './to-definition.ts';
import { nextVersion, onlyAddsInput, type VersionStep, versionStep } from './tool-change.ts';

export interface AdoptOptions {
  readonly source: string;
  readonly policy: 'auto' | 'review';
  /** Whether this is the first refresh, whose tools are approved by whoever adds the source. */
  readonly isFirst: boolean;
  readonly at: string;
}

const FIRST_VERSION = '1.0.0';
const MAX_VERSIONS = 20;
const MAX_FAMILY_BYTES = 200_000;
const NEW_TOOL = 'the source has it since its last refresh, and nobody has approved it yet';
const VANISHED = 'the source no longer has it';

/**
 * The next state of a source's tool after a refresh. Stored definitions never change; an unchanged tool returns the
 * same object.
 */
export const adoptTool = (family: Family | undefined, seen: SeenTool, options: AdoptOptions): Family => {
  if (!family?.source || family.versions.length === 0) return newTool(seen, options);
  const known = knownVersion(family, family.source, seen);
  if (known?.isSame) return selectVersion(family, family.source, known.record.version);
  // The tool's settings changed here, not the tool upstream: it is approved if the earlier version was.
  if (known) {
    const isApproved = !family.source.waiting.includes(known.record.version);
    return addVersion(family, family.source, seen, 'patch', isApproved, options);
  }
  const before = findRecord(family, family.source.seen ?? family.default_version);
  const step = versionStep(before?.spec ?? seen.definition, seen.definition);
  const isAdmitted = options.policy === 'auto' && onlyAdds(family, family.source, seen);
  return addVersion(family, family.source, seen, step, isAdmitted, options);
};

/** Whether the upstream's tool only adds to the input of the approved default. */
const onlyAdds = (family: Family, { digests, waiting }: FamilySource, seen: SeenTool): boolean => {
  const approved = findRecord(family, family.default_version);
  if (!approved || waiting.includes(approved.version)) return false;
  const [, rest] = digests[approved.version]?.split(':') ?? [];
  return rest === seen.digest.split(':')[1] && onlyAddsInput(approved.spec, seen.definition);
};

/** The state of a tool that the upstream no longer lists. */
export const vanishTool = (family: Family): Family => {
  if (!family.source || family.source.seen === undefined) return family;
  const { seen: _, ...source } = family.source;
  const isOurs = family.enabled || family.disabled_reason !== undefined;
  return deepFreeze({ ...family, source, enabled: false, disabled_reason: isOurs ? VANISHED : undefined });
};

/** Approves a version; it becomes the default if it is what the upstream has now. */
export const approveVersion = (family: Family, version: string): Family => {
  const { source } = family;
  if (!source?.waiting.includes(version)) return family;
  const approved = { ...source, waiting: source.waiting.filter((waiting) => waiting !== version) };
  if (source.seen !== version) return deepFreeze({ ...family, source: approved });
  return deepFreeze(switchOn({ ...family, source: approved, default_version: version }));
};

const newTool = (seen: SeenTool, { source, isFirst, at }: AdoptOptions): Family =>
  deepFreeze({
    name: seen.definition.name,
    enabled: isFirst,
    default_version: FIRST_VERSION,
    versions: [toRecord({ ...seen.definition, version: FIRST_VERSION }, at)],
    disabled_reason: isFirst ? undefined : NEW_TOOL,
    source: {
      name: source,
      tool: seen.upstream.name,
      seen: FIRST_VERSION,
      waiting: isFirst ? [] : [FIRST_VERSION],
      digests: { [FIRST_VERSION]: seen.digest },
    },
  });

/** The latest version with what the upstream says now; `isSame` when the whole definition is the same. */
const knownVersion = (
  family: Family,
  { digests }: FamilySource,
  seen: SeenTool,
): { readonly record: VersionRecord; readonly isSame: boolean } | undefined => {
  const matching = family.versions.filter(({ version }) => digests[version] === seen.digest);
  const wanted = digestOf(seen.definition);
  const same = matching.findLast(({ spec }) => digestOf(withoutVersion(spec)) === wanted);
  const record = same ?? matching.at(-1);
  return record && { record, isSame: same !== undefined };
};

const withoutVersion = ({ version: _, ...spec }: Tool): Tool => spec;

/** A known version that the upstream has again becomes the default again, if it was approved. */
const selectVersion = (family: Family, source: FamilySource, version: string): Family => {
  const isApproved = !source.waiting.includes(version);
  const isDefault = family.default_version === version || !isApproved;
  if (source.seen === version && isDefault) return family;
  const next: Family = {
    ...family,
    source: { ...source, seen: version },
    default_version: isApproved ? version : family.default_version,
  };
  return deepFreeze(hasApproved(next) ? switchOn(next) : next);
};

const addVersion = (
  family: Family,
  source: FamilySource,
  seen: SeenTool,
  step: VersionStep,
  isApproved: boolean,
  { at }: AdoptOptions,
): Family => {
  const version = nextVersion(family.versions.at(-1)?.version ?? FIRST_VERSION, step);
  const record = toRecord({ ...seen.definition, version }, at);
  const next: Family = {
    ...family,
    versions: [...family.versions, record].sort((a, b) => compareVersions(a.version, b.version)),
    default_version: isApproved ? version : family.default_version,
    source: {
      ...source,
      tool: seen.upstream.name,
      seen: version,
      waiting: isApproved ? source.waiting : [...source.waiting, version],
      digests: { ...source.digests, [version]: seen.digest },
    },
  };
  return deepFreeze(capVersions(hasApproved(next) ? switchOn(next) : next));
};

const hasApproved = ({ versions, source }: Family): boolean =>
  versions.some(({ version }) => !source?.waiting.includes(version));

/** Enables a tool that the source itself disabled; a person's choice stays. */
const switchOn = ({ disabled_reason: reason, ...family }: Family): Family =>
  reason === undefined ? family : { ...family, enabled: true };

/** Drops the oldest versions, but never the default or the one last seen. */
const capVersions = (family: Family): Family => {
  let { versions } = family;
  const isKept = ({ version }: VersionRecord) => version === family.default_version || version === family.source?.seen;
  while (versions.length > MAX_VERSIONS || countBytes(versions) > MAX_FAMILY_BYTES) {
    const oldest = versions.find((record) => !isKept(record));
    if (!oldest) break;
    versions = versions.filter((record) => record !== oldest);
  }
  if (versions === family.versions || !family.source) return family;
  const names = new Set(versions.map(({ version }) => version));
  const { waiting, digests, ...source } = family.source;
  return {
    ...family,
    versions,
    source: {
      ...source,
      waiting: waiting.filter((version) => names.has(version)),
      digests: Object.fromEntries(Object.entries(digests).filter(([version]) => names.has(version))),
    },
  };
};

const countBytes = (versions: readonly VersionRecord[]): number =>
  versions.length < 3 ? 0 : Buffer.byteLength(JSON.stringify(versions));

const findRecord = ({ versions }: Family, version: string | undefined): VersionRecord | undefined =>
  versions.find((record) => record.version === version);
