import { type Authenticator, createAuthenticator } from './billing/authenticate.ts';
import type { KeyContext } from './billing/keys.ts';
import type { ExecuteContext } from './execute/execute.ts';
import { createArgumentCheck } from './execute/validate.ts';
import type { Blobs, Clock, Log, Table } from './ports.ts';
import { createCatalogs } from './registry/catalogs.ts';
import type { Handlers, LoadReport } from './registry/layer.ts';
import { loadLayer, type ToolSource } from './registry/load.ts';

/** The world, as the process hands it in. */
export interface AssayPorts {
  readonly table: Table;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: (bytes: number) => Uint8Array;
  /** Finds shipped, configured and plugin tools, in order of precedence. */
  readonly discover: () => Promise<readonly ToolSource[]>;
  readonly handlers: Handlers;
  readonly adminDigest?: string;
  readonly freshMs?: number;
  /** Where images, models and large results lie. */
  readonly blobs?: Blobs;
}

/** The whole product, composed once per process. */
export interface Assay extends ExecuteContext, KeyContext {
  readonly authenticate: Authenticator;
  readonly blobs?: Blobs;
  readonly report: () => LoadReport;
  /** Discovers the read-only layer anew; tools that tenants registered stay. */
  readonly reload: () => Promise<LoadReport>;
}

export const composeAssay = async (ports: AssayPorts): Promise<Assay> => {
  const { table, clock, log, random, discover } = ports;
  const load = async () => {
    const next = loadLayer(await discover(), ports.handlers);
    for (const refused of next.report.refused) log.error('tool refused', { ...refused });
    for (const skipped of next.report.skipped) log.warn('tool skipped', { ...skipped });
    return next;
  };
  let loaded = await load();
  const freshness = ports.freshMs === undefined ? {} : { freshMs: ports.freshMs };
  const catalogs = createCatalogs({ table, clock, layer: loaded.layer, ...freshness });
  const admin = ports.adminDigest === undefined ? {} : { adminDigest: ports.adminDigest };
  return {
    table,
    clock,
    log,
    random,
    catalogs,
    handlers: () => loaded.handlers,
    checkArguments: createArgumentCheck(),
    authenticate: createAuthenticator({ table, clock, ...admin }),
    ...(ports.blobs === undefined ? {} : { blobs: ports.blobs }),
    report: () => loaded.report,
    reload: async () => {
      loaded = await load();
      catalogs.setLayer(loaded.layer);
      return loaded.report;
    },
  };
};
