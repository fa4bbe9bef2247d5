import { LRUCache } from 'lru-cache';
import type { Source } from '../model/source.ts';
import type { OpenedUpstream, SourcePorts, Sources } from './context.ts';

const MAX_OPEN = 200;
const IDLE_MS = 10 * 60_000;
const RECENT_MS = 1000;

interface Held {
  readonly upstream: OpenedUpstream;
  /** The source's state when it was opened. */
  readonly state: string;
}

/** Keeps one open upstream per source while it is used; it is closed when its source changes. */
export const openUpstreams = (
  { allowed, open, secrets, accounts, aliases = () => [] }: SourcePorts,
  changed: (tenant: string, name: string) => void,
): Sources => {
  const closing = new Set<Promise<void>>();
  const close = ({ upstream }: Held): void => {
    const ended = (upstream.close?.() ?? Promise.resolve()).catch(() => {});
    closing.add(ended);
    void ended.then(() => closing.delete(ended));
  };
  const held = new LRUCache<string, Held>({
    max: MAX_OPEN,
    ttl: IDLE_MS,
    updateAgeOnGet: true,
    dispose: (old) => close(old),
  });
  const known = new LRUCache<string, Source>({ max: MAX_OPEN, ttl: RECENT_MS });
  return {
    allowed,
    aliases,
    secrets,
    accounts,
    upstream(tenant, source) {
      const key = `${tenant}#${source.name}`;
      const opened = held.get(key);
      if (opened?.state === source.changed_at) return opened.upstream;
      const upstream = open(tenant, source, () => changed(tenant, source.name));
      held.set(key, { upstream, state: source.changed_at });
      return upstream;
    },
    recent(tenant, name, read) {
      const key = `${tenant}#${name}`;
      return (
        known.get(key) ??
        read().then((source) => {
          known.set(key, source);
          return source;
        })
      );
    },
    drop(tenant, name) {
      held.delete(`${tenant}#${name}`);
      known.delete(`${tenant}#${name}`);
    },
    async close() {
      held.clear();
      await Promise.all(closing);
    },
  };
};
