import type { Tool as McpTool } from '@modelcontextprotocol/server';
import { effectivePermission } from '../../../shared/access/permission.ts';
import type { VisibleTools } from '../../../shared/access/visible-tools.ts';
import type { Iqa } from '../../../shared/iqa/iqa.ts';
import type { Tool } from '../../../shared/model/tool.ts';
import { findPlanId } from '../../../shared/plan/call-deferred.ts';
import { metaTools, providers } from '../../../shared/providers/index.ts';
import type { Catalog } from '../../../shared/registry/catalog.ts';
import type { Entry } from '../../../shared/registry/entry.ts';
import { findHandler, type Handlers } from '../../../shared/registry/layer.ts';
import { readCursor, writeCursor } from '../../../shared/registry/lookup/cursor.ts';
import { scoreTool, seesScore } from './score-tool.ts';

// Usually the bytes limit a page first; each additional page costs the client a round trip.
const PAGE_TOOLS = 5000;
// Lambda answers at most 6 MB, and a definition may have 64 KB.
const PAGE_BYTES = 2_000_000;
const MAX_PAGES_KEPT = 64;
const LIST = 'mcp tools';

export interface ToolPage {
  readonly tools: McpTool[];
  readonly nextCursor?: string;
}

/** A page as sent: the JSON of its tools. */
export interface SerialPage {
  readonly bytes: Buffer;
  readonly nextCursor?: string | undefined;
}

/** Tool definitions in MCP's format, converted once per state of a tool. */
export interface ToolBook {
  page(catalog: Catalog, visible: VisibleTools, cursor: string | undefined, iqa: Iqa | undefined): ToolPage;
  /** The same, serialised once per revision of the catalogue. */
  serialised(catalog: Catalog, visible: VisibleTools, cursor: string | undefined, iqa: Iqa | undefined): SerialPage;
  /** A tool as listed; undefined when MCP cannot express it. */
  tool(entry: Entry): McpTool | undefined;
}

export const createToolBook = (handlers: () => Handlers): ToolBook => {
  // Entries are immutable: the catalogue replaces an entry with each change, and all of them on reload.
  const written = new WeakMap<Entry, Written>();
  const define = (entry: Entry): Written => {
    const known = written.get(entry);
    if (known) return known;
    const { spec } = entry.record;
    const permission = effectivePermission(findHandler(handlers(), spec), spec);
    const made = write({ ...spec, permission }, permission === 'confirm' || findPlanId(entry.record) !== undefined);
    written.set(entry, made);
    return made;
  };

  const cut = (catalog: Catalog, { only }: VisibleTools, cursor: string | undefined): Cut => {
    const after = cursor === undefined ? undefined : readCursor(cursor, LIST);
    const { entries, next } = catalog.list({ after, filter: { allowed: only }, limit: PAGE_TOOLS });
    let bytes = 0;
    const end = entries.findIndex((entry, index) => {
      bytes += define(entry).bytes;
      return index > 0 && bytes > PAGE_BYTES;
    });
    const shown = end < 0 ? entries : entries.slice(0, end);
    const last = end < 0 ? next : shown.at(-1)?.family.name;
    const nextCursor = last === undefined ? undefined : writeCursor(last, LIST);
    return { written: shown.map(define).filter(({ tool }) => tool !== undefined), nextCursor };
  };
  const hasScore = (catalog: Catalog, visible: VisibleTools, cursor: string | undefined, iqa: Iqa | undefined) =>
    cursor === undefined && !catalog.find(scoreTool.name) && seesScore(iqa, visible);

  const kept = new WeakMap<Catalog, KeptPages>();
  const cutPages = (catalog: Catalog): Map<string, SerialPage> => {
    const known = kept.get(catalog);
    if (known?.revision === catalog.revision) return known.pages;
    const pages = new Map<string, SerialPage>();
    kept.set(catalog, { revision: catalog.revision, pages });
    return pages;
  };
  const join: ToolBook['serialised'] = (catalog, visible, cursor, iqa) => {
    const { written: tools, nextCursor } = cut(catalog, visible, cursor);
    const score = hasScore(catalog, visible, cursor, iqa) ? [scoreText] : [];
    return { bytes: Buffer.from([...score, ...tools.map(({ json }) => json)].join(',')), nextCursor };
  };

  return {
    tool: (entry) => define(entry).tool,
    page(catalog, visible, cursor, iqa) {
      const { written: shown, nextCursor } = cut(catalog, visible, cursor);
      const score = hasScore(catalog, visible, cursor, iqa) ? [scoreTool] : [];
      const tools = [...score, ...shown.flatMap(({ tool }) => tool ?? [])];
      return nextCursor === undefined ? { tools } : { tools, nextCursor };
    },
    serialised(catalog, visible, cursor, iqa) {
      if (visible.only) return join(catalog, visible, cursor, iqa);
      const pages = cutPages(catalog);
      const known = pages.get(cursor ?? '');
      if (known) return known;
      const made = join(catalog, visible, cursor, iqa);
      if (pages.size < MAX_PAGES_KEPT) pages.set(cursor ?? '', made);
      return made;
    },
  };
};

interface Cut {
  readonly written: readonly Written[];
  readonly nextCursor: string | undefined;
}

interface KeptPages {
  readonly revision: number;
  readonly pages: Map<string, SerialPage>;
}

const scoreText = JSON.stringify(scoreTool);

/** The two tools that replace the catalogue in search mode. */
export const metaToolPage: ToolPage = { tools: metaTools.flatMap((tool) => write(tool).tool ?? []) };

interface Written {
  readonly tool: McpTool | undefined;
  readonly json: string;
  readonly bytes: number;
}

/** Tools that may continue or wait for a person can be called as tasks, which clients of 2025-11-25 need to be told. */
function write(tool: Tool, isTask = false): Written {
  const { value, json } = providers.mcp.defineTool(tool);
  const defined = value as McpTool | undefined;
  if (!isTask || !defined) return { tool: defined, json, bytes: Buffer.byteLength(json) };
  const shown: McpTool = { ...defined, execution: { taskSupport: 'optional' } };
  const text = JSON.stringify(shown);
  return { tool: shown, json: text, bytes: Buffer.byteLength(text) };
}
