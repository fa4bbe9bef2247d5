import type { Tool } from '../model/tool.ts';
import { asArray, asRecord, asStrings, excerpt, isRecord, type Schema } from './json.ts';
import { typesOf } from './schema/merge.ts';

/** The instructions of all tools for a system prompt, separated by blank lines. */
export const promptInstructions = (tools: readonly Tool[]): string => tools.map(writeInstructions).join('\n\n');

/** A tool's own instructions, or text made from its description and parameters. */
export function writeInstructions(tool: Tool): string {
  const own = tool.instructions?.trim();
  if (own) return own;
  const description = tool.description?.trim();
  const required = new Set(asStrings(tool.parameters.required));
  const parameters = Object.entries(asRecord(tool.parameters.properties));
  const lines = parameters.map(
    ([name, schema]) => `- ${name} (${describeType(schema, required.has(name))})${describeSchema(schema)}`,
  );
  const head = description ? `${tool.name}: ${description}` : tool.name;
  return [head, ...(lines.length > 0 ? ['Parameters:', ...lines] : ['No parameters.'])].join('\n');
}

function describeType(schema: unknown, isRequired: boolean): string {
  const node: Schema = asRecord(schema);
  const types = typesOf(node.type);
  const kind = Array.isArray(node.enum)
    ? `one of ${excerpt(
        asArray(node.enum)
          .map((value) => JSON.stringify(value))
          .join(', '),
        200,
      )}`
    : types.join(' or ') || 'any';
  return `${kind}, ${isRequired ? 'required' : 'optional'}`;
}

function describeSchema(schema: unknown): string {
  if (!isRecord(schema)) return '';
  const description =
    typeof schema.description === 'string' ? `: ${schema.description.trim().replace(/\s*\n\s*/g, ' ')}` : '';
  return Object.hasOwn(schema, 'default')
    ? `${description || ':'} (default ${excerpt(schema.default, 80)})`
    : description;
}
