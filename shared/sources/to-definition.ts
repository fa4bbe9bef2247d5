import type * as z from 'zod';
import { digestOf, sha256 } from '../kernel/canonical-json.ts';
import { nextTurn } from '../kernel/end-of-turn.ts';
import { messageOf } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { Source, SourceProblem } from '../model/source.ts';
import type { Permission, Tool } from '../model/tool.ts';
import { toolDisplay } from '../model/tool-display.ts';
import { parseDefinition } from '../registry/parse-definition.ts';
import { sourceHandler } from '../registry/source-tools.ts';
import { findInstructions, textsIn } from './find-instructions.ts';
import type { UpstreamTool, UpstreamTools } from './upstream.ts';

/** A tool as the last refresh saw it: a definition without a version, and the digest of the upstream's definition. */
export interface SeenTool {
  readonly upstream: UpstreamTool;
  readonly definition: Tool;
  readonly digest: string;
}

export interface SeenTools {
  /** By the tool's name here. */
  readonly tools: ReadonlyMap<string, SeenTool>;
  /** The names here of tools that are listed in an unreadable form: they exist upstream, and stay as they were. */
  readonly unreadable: ReadonlySet<string>;
  readonly problems: readonly SourceProblem[];
}

export type ToolSettings = Pick<
  Source,
  'name' | 'kind' | 'prefix' | 'allowed' | 'permission' | 'trust_read_only' | 'price_micros'
>;

const MAX_NAME = 128;
const SLICE = 100;

/**
 * Turns an upstream's list into definitions. A tool that is invalid is reported as a problem; the others are converted.
 */
export const toDefinitions = async (settings: ToolSettings, listed: UpstreamTools): Promise<SeenTools> => {
  const problems: SourceProblem[] = [...listed.problems];
  const allowed = settings.allowed && new Set(settings.allowed);
  const tools = new Map<string, SeenTool>();
  const unreadable = new Set(listed.problems.map(({ tool }) => localName(settings, tool)));
  for (const [index, upstream] of listed.tools.entries()) {
    // Compiling thousands of schemas takes long, so it yields to other requests.
    if (index % SLICE === SLICE - 1) await nextTurn();
    if (allowed && !allowed.has(upstream.name)) continue;
    const name = localName(settings, upstream.name);
    try {
      if (tools.has(name)) throw new Error('the upstream lists two tools of this name; the first is taken');
      tools.set(name, {
        upstream,
        definition: toDefinition(settings, name, upstream),
        digest: digestOfFacets(upstream),
      });
      const signs = findInstructions(textsIn(upstream));
      if (signs.length > 0) problems.push({ tool: upstream.name.slice(0, 128), reason: firstFlag(signs) });
    } catch (error) {
      unreadable.add(name);
      problems.push({ tool: upstream.name.slice(0, 128), reason: messageOf(error).slice(0, 500) });
    }
  }
  return { tools, unreadable, problems };
};

const firstFlag = (signs: readonly string[]): string =>
  `flagged: its description ${signs.join(', ')}; it is taken, read it before you let it run`;

/** `<prefix>_<name>`: invalid characters are replaced, and a hash keeps replaced and shortened names distinct. */
const localName = ({ name: source, prefix = source }: ToolSettings, upstream: string): string => {
  const wanted = prefix === '' ? upstream : `${prefix}_${upstream}`;
  const plain = wanted.replace(/[^A-Za-z0-9_.-]/g, '_').replace(/^(?=[^A-Za-z_])/, '_');
  if (plain === wanted && plain.length <= MAX_NAME) return plain;
  return `${plain.slice(0, MAX_NAME - 9)}_${sha256(upstream).slice(0, 8)}`;
};

const toDefinition = (settings: ToolSettings, name: string, upstream: UpstreamTool): Tool => {
  const { description, title, parameters, output_schema, annotations, icons } = upstream;
  const definition = {
    name,
    description: description?.trim() || title?.trim() || `${upstream.name}, a tool of the source ${settings.name}.`,
    // Invalid display fields are left out rather than refusing the tool.
    title: keepValid(toolDisplay.title, title?.trim()),
    annotations: keepValid(toolDisplay.annotations, annotations),
    icons: keepValid(toolDisplay.icons, icons),
    type: 'function',
    handler: name,
    parameters: { type: 'object', ...parameters },
    output_schema: output_schema && isObject(output_schema) ? output_schema : undefined,
    tags: ['source', settings.name],
    permission: permissionOf(settings, upstream),
    price_micros: settings.price_micros,
    implementation: { type: 'internal', handler: sourceHandler(settings.name) },
  };
  return parseDefinition(definition, undefined, 'form');
};

const keepValid = (schema: z.ZodType, value: unknown): unknown => (schema.safeParse(value).success ? value : undefined);

/** Hints lower no permission unless whoever added the source trusts them. */
const permissionOf = (
  { permission = 'confirm', trust_read_only: trusted }: ToolSettings,
  { annotations }: UpstreamTool,
): Permission =>
  trusted === true && permission === 'confirm' && annotations?.readOnlyHint === true ? 'safe' : permission;

/**
 * Two digests: of the input, and of everything else that a model reads; a change of the second always needs approval.
 */
const digestOfFacets = ({
  title,
  description,
  parameters,
  output_schema,
  annotations,
  icons,
}: UpstreamTool): string => {
  const rest = JSON.parse(JSON.stringify({ title, description, output_schema, annotations, icons }));
  return `${digestOf(parameters).slice(0, 32)}:${digestOf(rest).slice(0, 32)}`;
};
