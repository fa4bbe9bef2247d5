import { LRUCache } from 'lru-cache';
import type { Table } from '../kernel/ports.ts';
import type { Tool } from '../model/tool.ts';
import { type NearExample, nearestExamples, readExampleTexts } from '../search/near-examples.ts';
import type { Request } from '../search/request.ts';
import { readExamples, readExamplesRevision } from './examples.ts';

/** The examples learned for a tenant, as a decision reads them. */
export interface Memory {
  /** Changes with every example, so that decisions made before and after can be told apart. */
  readonly revision: number;
  /** For each tool, its example that is nearest to the request, if one is near. */
  readonly nearest: (request: Request, tools: readonly Tool[]) => ReadonlyMap<string, NearExample>;
}

/** Caches a tenant's memory; reads it again only when its revision has changed. */
export const createMemories = (table: Table): ((tenant: string) => Promise<Memory>) => {
  const known = new LRUCache<string, Memory>({ max: 200 });
  return async (tenant) => {
    const revision = await readExamplesRevision(table, tenant);
    const held = known.get(tenant);
    if (held?.revision === revision) return held;
    const learnt = revision === 0 ? [] : await readExamples(table, tenant);
    const texts = new Map(learnt.map(({ tool, examples }) => [tool, readExampleTexts(examples)]));
    const memory: Memory = {
      revision,
      nearest: (request, tools) => nearestExamples(request, tools, (name) => texts.get(name) ?? []),
    };
    known.set(tenant, memory);
    return memory;
  };
};
