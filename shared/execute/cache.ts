import { LRUCache } from 'lru-cache';
import { canonicalJson, sha256 } from '../kernel/canonical-json.ts';
import type { Clock } from '../kernel/ports.ts';
import type { Call, CallLayer, CallResult, Next } from './call.ts';

/** Cached outputs of deterministic tools, as JSON text so that callers cannot change them. */
export interface ResultCache {
  get(key: string): string | undefined;
  set(key: string, text: string): void;
}

export interface ResultCacheOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly entries?: number;
  readonly bytes?: number;
  readonly maxAgeMs?: number;
}

/** Keeps the most recently used outputs, bounded by number, size and age. */
export const createResultCache = (options: ResultCacheOptions): ResultCache => {
  const { clock, entries = 1000, bytes = 32 * 1024 * 1024, maxAgeMs = 3_600_000 } = options;
  const kept = new LRUCache<string, string>({
    max: entries,
    maxSize: bytes,
    sizeCalculation: (text) => text.length + 1,
    // One output must not evict all others.
    maxEntrySize: Math.floor(bytes / 8),
    ttl: maxAgeMs,
    ttlResolution: 0,
    perf: clock,
  });
  return { get: (key) => kept.get(key), set: (key, text) => void kept.set(key, text) };
};

/** Answers a cacheable tool from the cache; the key is made of tenant, definition and arguments. */
export const answerFromCache: CallLayer = ({ cache }, call, next) =>
  call.record.spec.cacheable === true ? fromCache(cache, call, next) : next(call);

const fromCache = async (cache: ResultCache, call: Call, next: Next): Promise<CallResult> => {
  const key = cacheKey(call);
  const known = cache.get(key);
  if (known !== undefined)
    return {
      status: 'ok',
      output: JSON.parse(known),
      durationMs: 0,
      usage: { cpuMs: 0, memoryDeltaBytes: 0, memoryPeakBytes: 0 },
      cached: true,
      chargedMicros: 0,
    };
  const ran = await next(call);
  if (ran.status === 'ok') cache.set(key, JSON.stringify(ran.output));
  return ran;
};

const cacheKey = ({ actor, record, args }: Call): string => {
  const text = canonicalJson(args);
  return `${actor.tenant}\n${record.digest}\n${text.length > 256 ? sha256(text) : text}`;
};
