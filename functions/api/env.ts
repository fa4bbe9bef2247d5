import type { Context, Hono } from 'hono';
import type { Assay } from '../../shared/assay.ts';
import type { OnceOnly } from '../../shared/execute/call.ts';
import type { Remaining } from '../../shared/execute/meter.ts';
import type { Actor } from '../../shared/model/key.ts';
import type { DefinitionsLookup } from '../../shared/registry/lookup/definitions.ts';
import type { NameTables } from '../../shared/registry/lookup/name-tables.ts';
import type { HeldBytes } from './held-bytes.ts';
import type { McpService } from './mcp/service.ts';
import type { HoldStream } from './open-streams.ts';

/** Per-request variables of Hono's context. */
export interface Variables {
  requestId: string;
  actor: Actor;
  /** Whether the response carries the request id already. */
  identified?: boolean;
  /** The bytes of the body, once they were read. */
  sent?: Uint8Array<ArrayBuffer>;
  /** What is left of the key's quota, once a priced call has looked. */
  remaining?: Remaining;
  /** The call that an Idempotency-Key stands for. */
  once?: OnceOnly;
}

export type Env = { Variables: Variables };
export type App = Hono<Env>;
export type ApiContext = Context<Env>;

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
