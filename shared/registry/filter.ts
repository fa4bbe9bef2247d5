import type { Pattern } from '../kernel/pattern.ts';
import type { Distortion, IqaType } from '../model/iqa.ts';
import type { Tool } from '../model/tool.ts';

/** The filters of a list; a tool must match all that are given. */
export interface Filter {
  readonly tags?: readonly string[];
  readonly category?: string;
  /** Required flags and their values. */
  readonly capabilities?: Readonly<Record<string, boolean>>;
  readonly type?: IqaType;
  readonly distortion?: Distortion;
  readonly allowed?: ReadonlySet<string>;
  /** A compiled name pattern, matched from the start of the name. */
  readonly name?: Pick<Pattern, 'startsWith' | 'weight'>;
}

export const matches = (tool: Tool, filter: Filter): boolean =>
  (filter.allowed === undefined || filter.allowed.has(tool.name)) &&
  (filter.category === undefined || tool.category === filter.category) &&
  (filter.tags === undefined || filter.tags.every((tag) => tool.tags.includes(tag))) &&
  (filter.capabilities === undefined ||
    Object.entries(filter.capabilities).every(([flag, wanted]) => hasCapability(tool, flag) === wanted)) &&
  (filter.type === undefined || tool.iqa?.type === filter.type) &&
  (filter.distortion === undefined || (tool.iqa?.strengths.includes(filter.distortion) ?? false)) &&
  (filter.name === undefined || filter.name.startsWith(tool.name));

const hasCapability = (tool: Tool, flag: string): boolean =>
  Array.isArray(tool.capabilities)
    ? tool.capabilities.includes(flag)
    : tool.capabilities !== undefined && Object.hasOwn(tool.capabilities, flag) && tool.capabilities[flag] === true;
