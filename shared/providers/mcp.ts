import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { Tool } from '../model/tool.ts';
import type { Annotations } from '../model/tool-display.ts';
import { definer, provider } from './definer.ts';
import { isRecord } from './json.ts';
import { errorText, outputText } from './results.ts';
import { mcpReader } from './stream/mcp-reader.ts';
import type { CallId, ToolResult } from './types.ts';

export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: { readonly type: 'object' } & Record<string, unknown>;
  readonly outputSchema?: { readonly type: 'object' } & Record<string, unknown>;
  readonly annotations: Annotations;
  readonly icons?: Tool['icons'];
  readonly _meta?: Tool['_meta'];
}

export interface McpMessage {
  readonly jsonrpc: '2.0';
  readonly id: CallId;
  readonly result: {
    readonly content: { readonly type: 'text'; readonly text: string }[];
    readonly structuredContent?: Record<string, unknown>;
    readonly isError?: boolean;
  };
}

const NAMES = /^[A-Za-z0-9_./-]{1,128}$/;

/** The Model Context Protocol: tools/list and tools/call. */
export const mcpForm = /* @__PURE__ */ definer({
  label: 'MCP',
  names: NAMES,
  isVerbatim: true,
  entry: ({ name, description, parameters, tool }): McpTool =>
    omitUndefined({
      name,
      title: tool.title,
      description,
      inputSchema: { ...parameters, type: 'object' },
      // Before 2026-07-28 an output schema must be of type object, and clients refuse the whole list otherwise.
      outputSchema: tool.output_schema?.type === 'object' ? { ...tool.output_schema, type: 'object' } : undefined,
      annotations: cautiousHints(tool),
      icons: tool.icons,
      _meta: tool._meta,
    }),
  remarks: (options) => [
    ...(options.strict ? ['MCP has no strict form'] : []),
    ...(options.defer ? ['MCP cannot defer definitions: use mode=search'] : []),
  ],
});

/** The author's hints, except those that would make a client ask less often than the tool's permission requires. */
function cautiousHints({ annotations, permission = 'safe' }: Tool): Annotations {
  return {
    ...annotations,
    readOnlyHint: permission === 'safe' && (annotations?.readOnlyHint ?? true),
    destructiveHint: permission === 'dangerous' || (annotations?.destructiveHint ?? false),
  };
}

export const mcp = /* @__PURE__ */ provider(mcpForm, {
  names: NAMES,
  reader: mcpReader,
  format: (results): readonly McpMessage[] => results.map(toMessage),
});

function toMessage(result: ToolResult): McpMessage {
  const { id, output, error } = result;
  const text = error === undefined ? outputText(result) : errorText(error);
  return {
    jsonrpc: '2.0',
    id,
    result: omitUndefined({
      content: [{ type: 'text', text }],
      structuredContent: error === undefined && isRecord(output) ? { ...output } : undefined,
      isError: error === undefined ? undefined : true,
    }),
  };
}
