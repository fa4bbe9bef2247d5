import type { Context, Hono } from 'hono';
import type { BlankEnv } from 'hono/types';
import type { Assay } from '../../shared/assay.ts';
import type { DefinitionsLookup } from '../../shared/registry/lookup/definitions.ts';
import type { NameTables } from '../../shared/registry/lookup/name-tables.ts';
import type { HeldBytes } from './held-bytes.ts';
import type { McpService } from './mcp/service.ts';
import type { HoldStream } from './open-streams.ts';
import type { Stated } from './request-state.ts';

export type App = Hono;
export type ApiContext = Context<BlankEnv> & Stated;

/** The dependencies of handlers: the product, and what a server shares between requests. */
export interface Api extends Assay {
  readonly definitions: DefinitionsLookup;
  readonly namesOf: NameTables;
  readonly holdStream: HoldStream;
  /** What large bodies hold in memory. */
  readonly bodies: HeldBytes;
  /** Answers that end in one turn of the event loop are sent together. */
  readonly endOfTurn: () => Promise<void>;
  /** The protocol's package is a quarter of the start of a process that may never speak it. */
  readonly mcp: () => Promise<McpService>;
}
