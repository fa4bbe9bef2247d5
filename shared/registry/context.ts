import type { Clock, Log, Table } from '../kernel/ports.ts';
import type { Catalogs } from './catalogs.ts';
import type { Handlers } from './layer.ts';

/** The dependencies of the registry's operations. */
export interface RegistryContext {
  readonly table: Table;
  readonly clock: Clock;
  readonly catalogs: Catalogs;
  readonly log: Log;
  /** How many bytes of definitions a tenant may store. */
  readonly definitionBytes?: number | undefined;
  /** The functions behind tools; replaced as a whole on reload. */
  readonly handlers: () => Handlers;
}
