import { Fault } from '../kernel/errors.ts';
import { compilePattern } from '../kernel/pattern.ts';
import type { Family, Registration, Snapshot } from '../model/registration.ts';
import type { Tool } from '../model/tool.ts';
import { convert } from '../providers/index.ts';
import { promptInstructions } from '../providers/prompt.ts';
import type { ConvertOptions } from '../providers/types.ts';
import { changeState } from './change-state.ts';
import { unknownTool } from './change-tool.ts';
import { type Filter, matches } from './filter.ts';
import { parseSpec } from './parse-definition.ts';
import { registerVersion, toRecord } from './register.ts';
import { toRegistration } from './registration.ts';
import { removeVersion, splitId } from './remove.ts';
import { restoreSnapshot, takeSnapshot } from './snapshot.ts';
import { resolveVersion } from './versions.ts';

/** The filters a tool must match: all tags, the category, a pattern from the start of its name, capability flags. */
export interface Criteria extends Pick<Filter, 'tags' | 'category' | 'capabilities' | 'type' | 'distortion'> {
  readonly name_pattern?: string;
  readonly allowed?: readonly string[];
}

/** An in-memory registry: synchronous, deterministic, independent of every other. */
export interface Registry {
  register(spec: unknown, options?: { readonly makeDefault?: boolean }): Registration;
  list(options?: { readonly includeDisabled?: boolean }): readonly Registration[];
  /** The default version, an exact one or a range; undefined when there is none. */
  get(name: string, version?: string): Registration | undefined;
  setEnabled(name: string, enabled: boolean): Registration;
  deprecate(name: string, deprecated: boolean | string, version?: string): Registration;
  /** Removes all versions by `name`, one by `name@version`; idempotent. */
  remove(id: string): void;
  filter(criteria: Criteria): readonly Registration[];
  snapshot(): Snapshot;
  restore(snapshot: unknown): void;
  /** The enabled tools' specs, in order. */
  tools(): readonly Tool[];
  /** The enabled tools in a provider's format; OpenRouter's by default. */
  definitions(provider?: string, options?: ConvertOptions): unknown;
  /** A prompt about the enabled tools, one paragraph each. */
  promptInstructions(): string;
}

export interface RegistryOptions {
  /** Provides `created_at`; without it registrations carry no time. */
  readonly now?: () => Date;
}

export const createRegistry = ({ now }: RegistryOptions = {}): Registry => {
  const families = new Map<string, Family>();
  // A frozen registration is built once per state, so that an unchanged one stays the same object.
  const shown = new WeakMap<Family, Registration>();
  let revision = 0;

  const store = (name: string, next: Family | undefined): void => {
    if (families.get(name) === next) return;
    revision++;
    if (next) families.set(name, next);
    else families.delete(name);
  };
  const show = (family: Family, version?: string): Registration | undefined => {
    const known = version === undefined ? shown.get(family) : undefined;
    if (known) return known;
    const record = resolveVersion(family, version);
    if (!record) return undefined;
    const registration = toRegistration(family, record);
    if (version === undefined) shown.set(family, registration);
    return registration;
  };
  const sorted = (): readonly Family[] => [...families.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const list = (includeDisabled: boolean): readonly Registration[] =>
    sorted().flatMap((family) => (includeDisabled || family.enabled ? (show(family) ?? []) : []));
  const tools = (): readonly Tool[] => list(false).map(({ spec }) => spec);
  const change = (name: string, rule: (family: Family) => Family, version?: string): Registration => {
    const family = families.get(name);
    if (!family) throw unknownTool(name, families.keys());
    const next = rule(family);
    store(name, next);
    const registration = show(next, version);
    if (!registration) throw new Fault('NotFound', `${name} has no version ${version}`, { name, version });
    return registration;
  };

  return {
    register(input, { makeDefault } = {}) {
      const record = toRecord(parseSpec(input), now?.().toISOString());
      const registered = registerVersion(families.get(record.spec.name), record, makeDefault);
      store(record.spec.name, registered.family);
      const isDefault = registered.family.default_version === registered.record.version;
      return (isDefault ? show(registered.family) : undefined) ?? toRegistration(registered.family, registered.record);
    },
    list: ({ includeDisabled = false } = {}) => list(includeDisabled),
    get: (name, version) => {
      const family = families.get(name);
      return family && show(family, version);
    },
    setEnabled: (name, enabled) => change(name, (family) => changeState(family, { enabled })),
    deprecate: (name, deprecated, version) =>
      change(name, (family) => changeState(family, { deprecated, version }), version),
    remove(id) {
      const { name, version } = splitId(id);
      store(name, removeVersion(families.get(name), version));
    },
    filter({ name_pattern: pattern, allowed, ...rest }) {
      const filter: Filter = {
        ...rest,
        allowed: allowed && new Set(allowed),
        name: pattern === undefined ? undefined : compilePattern(pattern, 'name_pattern'),
      };
      return list(false).filter(({ spec }) => matches(spec, filter));
    },
    snapshot: () => takeSnapshot(families.values(), revision),
    restore(snapshot) {
      const restored = restoreSnapshot(snapshot);
      families.clear();
      for (const family of restored) families.set(family.name, family);
      revision = (snapshot as Snapshot).revision;
    },
    tools,
    definitions: (provider = 'openrouter', options = {}) => convert(provider, tools(), options).value,
    promptInstructions: () => promptInstructions(tools()),
  };
};
