import type { Context, Hono } from 'hono';
import type { BlankEnv } from 'hono/types';
import type { Assay } from '../../shared/assay.ts';
import type { DefinitionsLookup } from '../../shared/registry/lookup/definitions.ts';
import type { NameTables } from '../../shared/registry/lookup/name-tables.ts';
import type { BodyMemory } from './body-memory.ts';
import type { McpService } from './mcp/service.ts';
import type { HoldStream } from './open-streams.ts';
import type { Stated } from './request-state.ts';

export type App = Hono;
export type ApiContext = Context<BlankEnv> & Stated;

/** The dependencies of handlers: the product, and what all requests of a server share. */
export interface Api extends Assay {
  readonly definitions: DefinitionsLookup;
  readonly namesOf: NameTables;
  readonly holdStream: HoldStream;
  /** Counts the memory that large bodies take. */
  readonly bodies: BodyMemory;
  /** Resolves at the end of this turn of the event loop, so that answers of one turn are sent together. */
  readonly endOfTurn: () => Promise<void>;
  /** Loaded on first use: the MCP package would be a quarter of the start, and many processes never need it. */
  readonly mcp: () => Promise<McpService>;
}
