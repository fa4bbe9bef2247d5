import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { sha256 } from '../kernel/canonical-json.ts';
import { messageOf } from '../kernel/errors.ts';
import { scoreKey } from '../kernel/item-keys.ts';
import type { Log, Table } from '../kernel/ports.ts';
import { isUnreadable, put, read, stored } from '../kernel/stored.ts';

/** What identifies a score: the picture, the tool with all it is computed from, and the reference. */
export interface ScoreIdentity {
  /** SHA-256 of the picture's bytes. */
  readonly image: string;
  readonly tool: string;
  /** Digest of the tool's definition and of its graph or model. */
  readonly digest: string;
  /** SHA-256 of the reference's bytes; of the empty string if there is none. */
  readonly reference: string;
}

const CachedScore = z.object({
  raw: z.number(),
  /** Absent for a tool without logistic_params. */
  normalized: z.number().optional(),
  warnings: z.array(z.string()),
  /** The decoded size and format, so that a hit needs no decoding. */
  width: z.number(),
  height: z.number(),
  format: z.string(),
});
export type CachedScore = Readonly<z.infer<typeof CachedScore>>;

export const ScoreItem = stored({
  what: 'score',
  schema: z.object({
    image: z.string(),
    tool: z.string(),
    digest: z.string(),
    reference: z.string(),
    score: CachedScore,
  }),
});

export interface CacheStatistics {
  readonly size: number;
  readonly limit: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
  readonly hit_rate: number;
}

/** An LRU cache of scores in memory, backed by the table. */
export interface ScoreCache {
  get(tenant: string, identity: ScoreIdentity): Promise<CachedScore | undefined>;
  put(tenant: string, identity: ScoreIdentity, score: CachedScore): Promise<void>;
  statistics(): CacheStatistics;
}

export const NO_REFERENCE = sha256('');

/** sha256(image) + tool + sha256(reference); the tool part carries the digest of what computes it. */
export const cacheKey = ({ image, tool, digest, reference }: ScoreIdentity): string =>
  `${image}+${tool}@${digest}+${reference}`;

export const createScoreCache = ({ table, log, limit = 1000 }: CachePorts): ScoreCache => {
  const unreadable = new Set<string>();
  const counts = { hits: 0, misses: 0, evictions: 0 };
  const memory = new LRUCache<string, CachedScore>({
    max: limit,
    disposeAfter: (_, key, reason) => {
      if (reason !== 'evict') return;
      counts.evictions++;
      log.info('score evicted from the cache', { key, size: memory.size, limit });
    },
  });

  return {
    async get(tenant, identity) {
      const key = `${tenant}:${cacheKey(identity)}`;
      const score = memory.get(key) ?? (await readStored(table, log, tenant, identity, unreadable));
      if (score) memory.set(key, score);
      counts[score ? 'hits' : 'misses']++;
      return score;
    },
    async put(tenant, identity, score) {
      const key = `${tenant}:${cacheKey(identity)}`;
      memory.set(key, score);
      // An unreadable score is not overwritten: a newer release may have stored it.
      if (!unreadable.has(key)) await writeStored(table, log, tenant, identity, score);
    },
    statistics: () => {
      const asked = counts.hits + counts.misses;
      return { size: memory.size, limit, ...counts, hit_rate: asked === 0 ? 0 : counts.hits / asked };
    },
  };
};

export interface CachePorts {
  /** Without a table scores are kept in memory only. */
  readonly table?: Table;
  readonly log: Log;
  readonly limit?: number;
}

const storedKey = (tenant: string, { image, tool, digest, reference }: ScoreIdentity) =>
  scoreKey(tenant, image, tool, `${digest}#${reference}`);

// When the table fails the score is computed again; the request does not fail.
const readStored = async (
  table: Table | undefined,
  log: Log,
  tenant: string,
  identity: ScoreIdentity,
  unreadable: Set<string>,
): Promise<CachedScore | undefined> => {
  try {
    const item = await table?.get(storedKey(tenant, identity));
    return item && read(item, ScoreItem).score;
  } catch (thrown) {
    if (unreadable.size > 10_000) unreadable.clear();
    if (isUnreadable(thrown)) unreadable.add(`${tenant}:${cacheKey(identity)}`);
    log.warn('stored score cannot be read', { tool: identity.tool, image: identity.image, message: messageOf(thrown) });
    return undefined;
  }
};

const writeStored = async (
  table: Table | undefined,
  log: Log,
  tenant: string,
  identity: ScoreIdentity,
  score: CachedScore,
): Promise<void> => {
  try {
    await table?.write([put(storedKey(tenant, identity), ScoreItem, { ...identity, score })]);
  } catch (thrown) {
    log.warn('score cannot be stored', { tool: identity.tool, image: identity.image, message: messageOf(thrown) });
  }
};
