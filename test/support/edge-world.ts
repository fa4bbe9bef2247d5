import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { apiKeyKey, revisionKey } from '../../shared/kernel/item-keys.ts';
import type { Blobs } from '../../shared/kernel/ports.ts';
import { publishAsOf, publishChanges, publishLayer } from '../../shared/registry/publish.ts';
import { ADMIN_KEY, type TestAssay, testAssay } from './assay.ts';
import { aTool } from './tools.ts';

export const TENANTS = ['acme', 'globex', 'empty'] as const;

const shipped = {
  kind: 'shipped' as const,
  source: 'test',
  definitions: ['shipped_one', 'shipped_two'].map((name) => aTool({ name, handler: name, tags: ['shipped'] })),
};

/** Several tenants with their keys, the API that serves them, and their published data. */
export interface EdgeWorld {
  readonly given: TestAssay;
  readonly blobs: Blobs;
  readonly clock: { ms: number };
  /** Keys by purpose. */
  readonly keys: Readonly<Record<string, string>>;
  makeKey(options: Parameters<TestAssay['key']>[0]): Promise<string>;
  register(tenant: string, tool: Readonly<Record<string, unknown>>): Promise<void>;
  /** Publishes all current data, as the stream's function does after each change. */
  publish(now?: number): Promise<void>;
}

export const idOf = (key: string): string => key.split('_')[1] ?? '';

export const makeEdgeWorld = async (blobs: Blobs = memoryBlobs()): Promise<EdgeWorld> => {
  const clock = { ms: Date.parse('2026-11-01T00:00:00Z') };
  let count = 0;
  const newId = (): string => `01J00000000000000000${String(++count).padStart(6, '0')}`;
  const given = await testAssay({ clock: { now: () => clock.ms, newId }, discover: async () => [shipped] });
  const ids = new Set<string>();
  const makeKey: EdgeWorld['makeKey'] = async (options) => {
    const text = await given.key(options);
    ids.add(idOf(text));
    return text;
  };
  const keys = {
    acme: await makeKey({ tenant: 'acme', scopes: ['read', 'write'] }),
    globex: await makeKey({ tenant: 'globex', scopes: ['read'] }),
    empty: await makeKey({ tenant: 'empty', scopes: ['read'] }),
    confined: await makeKey({ tenant: 'acme', scopes: ['read'], tools: ['acme_tool_01', 'shipped_one'] }),
    noRead: await makeKey({ tenant: 'acme', scopes: ['invoke'] }),
    admin: await makeKey({ tenant: 'acme', scopes: ['admin'] }),
    expiring: await makeKey({ tenant: 'acme', scopes: ['read'], expires_at: '2026-11-01T01:00:00Z' }),
    limited: await makeKey({ tenant: 'acme', scopes: ['read'], rate: { per_second: 1, burst: 1 } }),
  };
  const register: EdgeWorld['register'] = async (tenant, tool) => {
    const { status } = await given.request('POST', '/v1/tools', aTool(tool), ADMIN_KEY, { 'assay-tenant': tenant });
    if (status !== 201) throw new Error(`registering answered ${status}`);
  };
  const publish = async (now = clock.ms): Promise<void> => {
    await publishLayer({ blobs }, (await given.assay.catalogs.of('empty')).catalog.layer);
    const changed = [...[...ids].map(apiKeyKey), ...TENANTS.map(revisionKey)];
    await publishChanges({ table: given.assay.table, blobs }, changed);
    await publishAsOf(blobs, now);
  };
  return { given, blobs, clock, keys, makeKey, register, publish };
};

/** Registers tools that differ in everything a list can filter by, and one name that two tenants share. */
export const fillEdgeWorld = async ({ given, register }: EdgeWorld): Promise<void> => {
  for (let n = 0; n < 12; n++) {
    const name = `acme_tool_${String(n).padStart(2, '0')}`;
    await register('acme', {
      name,
      handler: name,
      version: '1.0.0',
      category: n % 2 ? 'odd' : 'even',
      tags: n % 3 ? ['a'] : ['a', 'b'],
      capabilities: { supports_streaming: n % 2 === 0 },
      description: `Werkzeug Nummer ${n} für 图像`,
      parameters: {
        type: 'object',
        properties: { size: { type: ['integer', 'null'], exclusiveMinimum: n }, kind: { const: 'x' } },
      },
    });
  }
  await register('acme', { name: 'acme_tool_03', handler: 'h', version: '1.1.0' });
  await register('acme', { name: 'acme_tool_03', handler: 'h', version: '2.0.0-rc.1' });
  await register('acme', { name: 'same_name', handler: 'a' });
  await register('globex', { name: 'same_name', handler: 'b', tags: ['theirs'] });
  const as = { 'assay-tenant': 'acme' };
  await given.request('PATCH', '/v1/tools/acme_tool_05', { enabled: false }, ADMIN_KEY, as);
  await given.request('PATCH', '/v1/tools/shipped_two', { enabled: false }, ADMIN_KEY, as);
};
