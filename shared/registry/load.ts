import { Fault, messageOf } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { Handler } from '../kernel/ports.ts';
import type { Family } from '../model/registration.ts';
import { Permission } from '../model/tool.ts';
import type { Handlers, Loaded, Refused } from './layer.ts';
import { parseDefinition } from './parse-definition.ts';
import { registerVersion, toRecord } from './register.ts';

/** The sources of the read-only layer, in order of precedence. */
export type ToolSource =
  | {
      readonly kind: 'shipped';
      readonly source: string;
      readonly definitions: readonly unknown[];
      /** Already checked, when they were bundled. */
      readonly families?: readonly Family[];
    }
  | { readonly kind: 'config'; readonly source: string; readonly definitions: readonly unknown[] }
  | {
      readonly kind: 'plugin';
      readonly source: string;
      readonly tools: readonly unknown[];
      /** The operator's trust in the plugin; without it the author's declarations hold. */
      readonly trust?: Trust | undefined;
    }
  /** A source that could not be read. */
  | { readonly kind: 'broken'; readonly source: string; readonly reason: string; readonly plugin: boolean };

/** `trusted`: tools that declare no permission are `safe`; `distrusted`: no tool is, whatever it declares. */
export type Trust = 'trusted' | 'distrusted';

/** Builds the layer: the first tool of a name wins, an invalid one is reported and does not stop the rest. */
export const loadLayer = (sources: readonly ToolSource[], handlers: Handlers): Loaded => {
  const layer = new Map<string, Family>();
  const internal = new Map(handlers.internal);
  const refused: Refused[] = [];
  const skipped: Refused[] = [];
  for (const from of sources)
    if (from.kind === 'shipped') for (const family of from.families ?? []) layer.set(family.name, family);
  for (const { source, name, isPlugin, isShipped, definition, handler, reason } of sources.flatMap(readCandidates)) {
    try {
      if (reason !== undefined) throw new Fault('InvalidInput', reason);
      if (layer.has(name))
        throw new Fault('Conflict', `${name} is already registered by an earlier source, which is used`);
      const known = handler ? new Map(internal).set(`plugin:${name}`, handler) : internal;
      const spec = parseDefinition(
        definition,
        { builtin: handlers.builtin, internal: known },
        isShipped ? 'trusted' : 'checked',
      );
      layer.set(spec.name, registerVersion(undefined, toRecord(spec)).family);
      if (handler) internal.set(`plugin:${name}`, handler);
    } catch (error) {
      (isPlugin ? skipped : refused).push({ source, name, reason: messageOf(error) });
    }
  }
  const registered = [...layer.keys()].sort();
  return { layer, handlers: { builtin: handlers.builtin, internal }, report: { registered, refused, skipped } };
};

interface Candidate extends PluginTool {
  readonly source: string;
  readonly name: string;
  readonly isPlugin: boolean;
  readonly isShipped: boolean;
  readonly reason?: string;
}

const readCandidates = (from: ToolSource): readonly Candidate[] => {
  const { source } = from;
  if (from.kind === 'broken')
    return [{ source, name: '', isPlugin: from.plugin, isShipped: false, definition: undefined, reason: from.reason }];
  const isPlugin = from.kind === 'plugin';
  const isShipped = from.kind === 'shipped';
  const tools: readonly PluginTool[] = isPlugin
    ? from.tools.map((tool) => unwrapPlugin(tool, from.trust))
    : from.definitions.map((definition) => ({ definition }));
  return tools.map((tool, index) => ({ source, name: readName(tool.definition, index), isPlugin, isShipped, ...tool }));
};

interface PluginTool {
  readonly definition: unknown;
  readonly handler?: Handler;
}

/** A plugin's tool is `{definition, execute}`; its implementation is filled in. */
const unwrapPlugin = (given: unknown, trust: Trust | undefined): PluginTool => {
  if (!isObject(given) || !isObject(given.definition) || typeof given.execute !== 'function')
    return { definition: given };
  const definition = given.definition;
  const execute = given.execute as (args: unknown, context: unknown) => unknown;
  const name = String(definition.name ?? definition.tool_name ?? '');
  return {
    definition: {
      type: 'function',
      handler: name,
      ...definition,
      implementation: { type: 'internal', handler: `plugin:${name}` },
    },
    handler: {
      permission: permissionOf(definition.permission, trust),
      run: async (args, context) => execute(args, context),
    },
  };
};

/** The permission that the plugin declares, `confirm` by default; the operator's trust overrides it. */
const permissionOf = (declared: unknown, trust: Trust | undefined): Permission => {
  const level = Permission.safeParse(declared).data ?? (trust === 'trusted' ? 'safe' : 'confirm');
  return trust === 'distrusted' && level === 'safe' ? 'confirm' : level;
};

const readName = (definition: unknown, index: number): string => {
  const name = isObject(definition) ? (definition.name ?? definition.tool_name) : undefined;
  return typeof name === 'string' && name !== '' ? name : `#${index + 1}`;
};
