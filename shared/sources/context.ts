import type { Timers } from '../kernel/ports.ts';
import type { Source } from '../model/source.ts';
import type { RegistryContext } from '../registry/context.ts';
import type { Accounts } from './accounts.ts';
import type { SourceSecrets } from './secrets.ts';
import type { Upstream } from './upstream.ts';

/** How a process reaches sources. */
export interface SourcePorts {
  /** Who may add sources: keys with `tenant_admin`, the operator alone, or nobody. */
  readonly allowed: 'tenants' | 'operator' | 'off';
  /** Opens a source; throws a `Fault` for one that cannot be reached from here at all. */
  readonly open: OpenUpstream;
  /** The store of credentials; without it, sources have none. */
  readonly secrets?: SourceSecrets | undefined;
  /** The accounts of callers; without it there are none. */
  readonly accounts?: Accounts | undefined;
  /** The aliases of the functions that the operator bound to a tenant. */
  readonly aliases?: ((tenant: string) => readonly string[]) | undefined;
}

/** `changed` is called when the upstream reports that its list of tools has changed. */
export type OpenUpstream = (tenant: string, source: Source, changed: () => void) => OpenedUpstream;

/** An upstream that may hold a connection. */
export interface OpenedUpstream extends Upstream {
  close?(): Promise<void>;
}

/** The dependencies of sources, beyond the registry's. */
export interface SourcesContext extends RegistryContext {
  readonly timers: Timers;
  readonly random: (bytes: number) => Uint8Array;
  readonly sources: Sources;
}

/** The upstreams that are open in this process. */
export interface Sources {
  readonly allowed: SourcePorts['allowed'];
  readonly secrets?: SourceSecrets | undefined;
  readonly accounts?: Accounts | undefined;
  aliases(tenant: string): readonly string[];
  upstream(tenant: string, source: Source): Upstream;
  /** Reads a source through a cache of one second, so that not every call reads it. */
  recent(tenant: string, name: string, read: () => Promise<Source>): Source | Promise<Source>;
  /** Closes the connection to a source and drops what is cached of it. */
  drop(tenant: string, name: string): void;
  close(): Promise<void>;
}
