import { type Credentials, readObject } from './read-object.ts';
import { type SnapshotOrigin, urlOf } from './snapshot-origin.ts';
import { createEdgeStore, type EdgeStore, type ReadJson } from './store.ts';

/** Creates one store per origin; a distribution has one. */
export const createStores = (): ((place: SnapshotOrigin) => EdgeStore) => {
  const stores = new Map<string, EdgeStore>();
  return (place) => {
    const name = JSON.stringify(place);
    const store = stores.get(name) ?? createEdgeStore({ read: readFrom(place), now: Date.now });
    stores.set(name, store);
    return store;
  };
};

const readFrom = (place: SnapshotOrigin): ReadJson => {
  const cache = new Map<string, ArrayBuffer>();
  return async <T>(key: string): Promise<T | undefined> => {
    const text = await readObject(urlOf(place, key), { region: place.region, credentials: credentials(), cache });
    return text === undefined ? undefined : (JSON.parse(text) as T);
  };
};

// Credentials rotate, so they are read for each request. AWS_REGION is where this runs, not where the bucket is.
const credentials = (): Credentials => {
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN } = process.env;
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN,
  };
};
