import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Assay } from '../../shared/assay.ts';
import type { Remaining } from '../../shared/execute/meter.ts';
import type { Actor } from '../../shared/model/key.ts';
import type { TenantCatalog } from '../../shared/registry/catalogs.ts';

/** What the middleware leaves for the routes. */
export interface Variables {
  requestId: string;
  actor: Actor;
  /** Whether the response carries the request id already. */
  identified?: boolean;
  /** What is left of the key's quota, once a priced call has looked. */
  remaining?: Remaining;
  /** The tenant acted for: the key's, or the one an admin names. */
  tenant: string;
}

export type Env = { Variables: Variables };
export type App = OpenAPIHono<Env>;
export type ApiContext = Context<Env>;

/** Adds the routes of one subject to the app. */
export type Routes = (app: App, assay: Assay) => void;

/** The caller's catalogue. */
export const catalogOf = (c: ApiContext, assay: Assay): TenantCatalog | Promise<TenantCatalog> =>
  assay.catalogs.of(c.get('tenant'));
