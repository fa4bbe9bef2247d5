import { AwsV4Signer } from 'aws4fetch';
import { type Place, urlOf } from './place.ts';
import { createEdgeStore, type EdgeStore, type ReadJson } from './store.ts';

const TIMEOUT_MS = 2000;

/** The store of each place; a distribution has one. */
export const createStores = (): ((place: Place) => EdgeStore) => {
  const stores = new Map<string, EdgeStore>();
  return (place) => {
    const name = JSON.stringify(place);
    const store = stores.get(name) ?? createEdgeStore({ read: readFrom(place), now: Date.now });
    stores.set(name, store);
    return store;
  };
};

const readFrom =
  (place: Place): ReadJson =>
  async <T>(key: string): Promise<T | undefined> => {
    const { url, headers } = await signedFor(place, key).sign();
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    // Without the right to list, S3 says of an object that is not there that it may not be read.
    if (response.status === 404 || response.status === 403) return undefined;
    if (!response.ok) throw new Error(`S3 answered ${response.status} for ${key}`);
    return (await response.json()) as T;
  };

// The credentials rotate: they are read for each request. AWS_REGION would be where this runs, not where the bucket is.
const signedFor = (place: Place, key: string): AwsV4Signer => {
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN } = process.env;
  return new AwsV4Signer({
    url: urlOf(place, key),
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN === undefined ? {} : { sessionToken: AWS_SESSION_TOKEN }),
    service: 's3',
    region: place.region,
  });
};
