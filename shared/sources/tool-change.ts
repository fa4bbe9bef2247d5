import type { Tool } from '../model/tool.ts';
import { schemaChanges, worstChange } from './schema-change.ts';

/** The part of a version number to increment. */
export type VersionStep = 'major' | 'minor' | 'patch';

type Described = Pick<Tool, 'description' | 'parameters' | 'output_schema'>;

/**
 * How much changed between two definitions: a breaking change of the input is major, an additive one minor, texts alone
 * patch. The output is compared in reverse, because callers must be able to read all of it.
 */
export const versionStep = (before: Described, after: Described): VersionStep => {
  const input = worstChange(schemaChanges(before.parameters, after.parameters));
  const output = worstChange(schemaChanges(after.output_schema ?? {}, before.output_schema ?? {}));
  if (input === 'breaking' || output === 'breaking') return 'major';
  return input === 'additive' || output === 'additive' ? 'minor' : 'patch';
};

/** Whether the input only gained optional parts, with no text of the old one changed. */
export const onlyAddsInput = (before: Described, after: Described): boolean => {
  const changes = schemaChanges(before.parameters, after.parameters);
  return changes.size === 1 && changes.has('additive');
};

/** The next version after the highest one. */
export const nextVersion = (highest: string, step: VersionStep): string => {
  const [major = 0, minor = 0, patch = 0] = highest.split(/[-+]/)[0]?.split('.').map(Number) ?? [];
  if (step === 'major') return `${major + 1}.0.0`;
  return step === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
};
