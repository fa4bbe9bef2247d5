import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { adminActor } from '../../shared/access/scopes.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { revisionKey, toolKey } from '../../shared/kernel/item-keys.ts';
import { createCatalogs } from '../../shared/registry/catalogs.ts';
import { exportSnapshot } from '../../shared/registry/export-snapshot.ts';
import { readState, recountFamilies } from '../../shared/registry/families.ts';
import { importSnapshot } from '../../shared/registry/import-snapshot.ts';
import { registerTool } from '../../shared/registry/register-tool.ts';
import { removeTool } from '../../shared/registry/remove-tool.ts';
import { testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

const LIMIT = 100_000;
const large = (name: string, version = '1.0.0') => ({
  name,
  version,
  type: 'function',
  description: 'Has a long text in its parameters',
  handler: name,
  parameters: { type: 'object', properties: { a: { type: 'string', description: version.repeat(2000) } } },
  implementation: { type: 'mock', mock_response: 1 },
});

describe('limit of the definitions of a tenant', () => {
  const start = async () => {
    const { assay } = await testAssay({ definitionBytes: LIMIT });
    const register = (actor: ReturnType<typeof adminActor>, definition: unknown) =>
      registerTool(assay, actor, definition).then(
        () => 'ok',
        ({ code }: { code: string }) => code,
      );
    return { assay, register, acme: { ...adminActor(), tenant: 'acme' } };
  };

  test('X.07 a tenant cannot store more definitions than the limit, and another tenant has its own', async () => {
    const { register, acme } = await start();

    const told = [];
    for (let n = 0; n < 20; n++) told.push(await register(acme, large(`tool_${n}`)));

    const taken = told.filter((each) => each === 'ok').length;
    assert.ok(taken > 0 && taken * 10_000 < LIMIT, `${taken} tools of 10 KB were taken`);
    assert.deepEqual([...new Set(told.slice(taken))], ['PaymentRequired']);
    assert.equal(await register({ ...acme, tenant: 'other' }, large('tool')), 'ok');
  });

  test('versions count towards the limit, and removing a tool makes room', async () => {
    const { assay, register, acme } = await start();
    let n = 0;
    while ((await register(acme, large('tool', `1.0.${n}`))) === 'ok') n++;
    assert.equal(await register(acme, large('another')), 'PaymentRequired');

    await removeTool(assay, acme, 'tool');

    assert.equal(await register(acme, large('another')), 'ok');
  });

  test('removing a tool that cannot be read gives back its bytes', async () => {
    const { assay, register, acme } = await start();
    await register(acme, large('kept'));
    const { bytes: before } = await readState(assay.table, 'acme');
    await register(acme, large('broken'));
    const item = await assay.table.get(toolKey('acme', 'broken'));
    await assay.table.write([{ put: toolKey('acme', 'broken'), body: { ...item?.body, v: 99 } }]);
    assay.catalogs.setLayer(new Map());

    await removeTool(assay, acme, 'broken');

    assert.equal((await readState(assay.table, 'acme')).bytes, before);
  });

  test('tools that an earlier release stored are counted when they are first read, and once', async () => {
    const { assay, register, acme } = await start();
    await register(acme, large('tool'));
    await register(acme, large('another'));
    const { revision, bytes } = await readState(assay.table, 'acme');
    // That release counted nothing; then one change was counted.
    await assay.table.write([{ put: revisionKey('acme'), body: { v: 1, revision, bytes: 7 } }]);
    assay.catalogs.setLayer(new Map());

    await assay.catalogs.of('acme');

    assert.deepEqual(await readState(assay.table, 'acme'), { revision, bytes, counted: true });
    await removeTool(assay, acme, 'tool');
    await removeTool(assay, acme, 'another');
    assert.deepEqual(await readState(assay.table, 'acme'), { revision: revision + 2, bytes: 0, counted: true });
  });

  test('a recount that meets a change stores nothing', async () => {
    const { assay, register, acme } = await start();
    await register(acme, large('tool'));
    const before = await readState(assay.table, 'acme');

    await recountFamilies(assay.table, 'acme', before.revision - 1, []);

    assert.deepEqual(await readState(assay.table, 'acme'), before);
  });

  test('an import beyond the limit is refused', async () => {
    const { assay, acme } = await start();
    const { assay: roomy } = await testAssay();
    for (let n = 0; n < 40; n++) await registerTool(roomy, acme, large(`tool_${n}`));
    const snapshot = JSON.parse((await Array.fromAsync(await exportSnapshot(roomy, acme))).join(''));

    await assert.rejects(importSnapshot(assay, acme, snapshot), { code: 'PaymentRequired' });
  });
});

describe('catalogues in memory', () => {
  /** The tenants whose tools are read when six requests ask for those of three, in turn. */
  const readsOf = async (maxBytes: number, definitions: readonly object[]): Promise<readonly string[]> => {
    const time = { now: 1 };
    const clock = { now: () => time.now++, newId: () => 'id' };
    const table = memoryTable(clock);
    const reads: string[] = [];
    const watched = {
      ...table,
      query: (...[pk, options]: Parameters<typeof table.query>) => {
        reads.push(pk);
        return table.query(pk, options);
      },
    };
    const catalogs = createCatalogs({ table: watched, clock, layer: new Map(), freshMs: 1_000_000, maxBytes });
    const { assay } = await testAssay({ table, clock });
    for (const tenant of ['a', 'b', 'c'])
      for (const definition of definitions) await registerTool(assay, { ...adminActor(), tenant }, definition);

    for (const tenant of ['a', 'b', 'c', 'b', 'c', 'a']) await catalogs.of(tenant);

    return reads.map((pk) => pk.slice(-1));
  };

  test('the catalogue that nobody has asked for the longest is dropped when all together take too much', async () => {
    assert.deepEqual(await readsOf(30_000, [large('tool')]), ['a', 'b', 'c', 'a']);
  });

  test('of small tools what each takes in memory counts, which is six times its text', async () => {
    const small = Array.from({ length: 10 }, (_, n) => aTool({ name: `tool_${n}` }));

    assert.deepEqual(await readsOf(60_000, small), ['a', 'b', 'c', 'a']);
    assert.deepEqual(await readsOf(120_000, small), ['a', 'b', 'c']);
  });
});
