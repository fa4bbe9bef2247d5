import type { Blobs } from '../../kernel/ports.ts';

/** Routes blobs by key prefix: each prefix has its own store, all other keys use the main one. */
export const routedBlobs = (main: Blobs, byPrefix: Readonly<Record<string, Blobs>>): Blobs => {
  const routes = Object.entries(byPrefix);
  const routeTo = (key: string): Blobs => routes.find(([prefix]) => key.startsWith(prefix))?.[1] ?? main;
  return {
    get: (key) => routeTo(key).get(key),
    put: (key, bytes, contentType) => routeTo(key).put(key, bytes, contentType),
    remove: (key) => routeTo(key).remove(key),
    list: async (prefix) => {
      // A prefix shorter than a route's own may have keys in several stores.
      const wider = routes.filter(([route]) => route.startsWith(prefix) && route !== prefix).map(([, blobs]) => blobs);
      const lists = await Promise.all([routeTo(prefix), ...wider].map((blobs) => blobs.list(prefix)));
      return lists.length === 1 ? (lists[0] ?? []) : lists.flat().sort();
    },
  };
};
