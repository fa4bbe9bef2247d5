import type { Tool as McpTool } from '@modelcontextprotocol/server';
import { effectivePermission } from '../../../shared/access/permission.ts';
import type { VisibleTools } from '../../../shared/access/visible-tools.ts';
import type { Tool } from '../../../shared/model/tool.ts';
import { metaTools, providers } from '../../../shared/providers/index.ts';
import type { Catalog } from '../../../shared/registry/catalog.ts';
import type { Entry } from '../../../shared/registry/entry.ts';
import { findHandler, type Handlers } from '../../../shared/registry/layer.ts';
import { readCursor, writeCursor } from '../../../shared/registry/lookup/cursor.ts';

const PAGE_TOOLS = 250;
// Lambda answers at most 6 MB, and a definition may have 64 KB.
const PAGE_BYTES = 2_000_000;
const LIST = 'mcp tools';

export interface ToolPage {
  readonly tools: McpTool[];
  readonly nextCursor?: string;
}

/** Definitions in MCP's form, made once for each state of a tool. */
export interface ToolBook {
  page(catalog: Catalog, visible: VisibleTools, cursor: string | undefined): ToolPage;
  /** What the list says of a tool; undefined when MCP cannot take it. */
  tool(entry: Entry): McpTool | undefined;
}

export const createToolBook = (handlers: () => Handlers): ToolBook => {
  // An entry never changes: the catalogue replaces it with each change, and all of them on reload.
  const written = new WeakMap<Entry, Written>();
  const define = (entry: Entry): Written => {
    const known = written.get(entry);
    if (known) return known;
    const { spec } = entry.record;
    const made = write({ ...spec, permission: effectivePermission(findHandler(handlers(), spec), spec) });
    written.set(entry, made);
    return made;
  };
  return {
    tool: (entry) => define(entry).tool,
    page(catalog, { only }, cursor) {
      const after = cursor === undefined ? {} : { after: readCursor(cursor, LIST) };
      const { entries, next } = catalog.list({ ...after, filter: only ? { allowed: only } : {}, limit: PAGE_TOOLS });
      let bytes = 0;
      const cut = entries.findIndex((entry, index) => {
        bytes += define(entry).bytes;
        return index > 0 && bytes > PAGE_BYTES;
      });
      const shown = cut < 0 ? entries : entries.slice(0, cut);
      const last = cut < 0 ? next : shown.at(-1)?.family.name;
      const tools = shown.flatMap((entry) => define(entry).tool ?? []);
      return last === undefined ? { tools } : { tools, nextCursor: writeCursor(last, LIST) };
    },
  };
};

/** The two tools that stand for the catalogue in search mode. */
export const metaToolPage: ToolPage = { tools: metaTools.flatMap((tool) => write(tool).tool ?? []) };

interface Written {
  readonly tool: McpTool | undefined;
  readonly bytes: number;
}

function write(tool: Tool): Written {
  const { value, json } = providers.mcp.defineTool(tool);
  return { tool: value as McpTool | undefined, bytes: Buffer.byteLength(json) };
}
