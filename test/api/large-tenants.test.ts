import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { adminActor } from '../../shared/access/scopes.ts';
import { sqliteTable } from '../../shared/adapters/sqlite/table.ts';
import type { Snapshot } from '../../shared/model/registration.ts';
import { createCatalogs } from '../../shared/registry/catalogs.ts';
import { exportSnapshot } from '../../shared/registry/export-snapshot.ts';
import { registerTool } from '../../shared/registry/register-tool.ts';
import { ADMIN_KEY, type TestAssay, testAssay } from '../support/assay.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { aTool } from '../support/tools.ts';

const COUNT = 160;
/** Sixty thousand characters, which the schema of one tool may have. */
const large = (name: string) => {
  const field = (n: number) => [
    `field_${n}`,
    { type: 'string', description: `The field ${n} ${'word '.repeat(1000)}` },
  ];
  const properties = Object.fromEntries(Array.from({ length: 12 }, (_, n) => field(n)));
  return aTool({ name, tags: name === 'tool_7' ? ['small'] : [], parameters: { type: 'object', properties } });
};

interface Page {
  readonly tools: readonly { readonly spec: { readonly name: string } }[];
  readonly next_cursor?: string;
}

/** A tenant whose tools take 10 MB, in a table that has all of them in one page unless it is asked for less. */
const largeTenant = async (t: { after(clean: () => Promise<void>): void }): Promise<TestAssay> => {
  const table = sqliteTable({ path: join(await temporaryDirectory(t), 'assay.db') });
  const made = await testAssay({ table });
  for (let n = 0; n < COUNT; n++) await registerTool(made.assay, adminActor(), large(`tool_${n}`));
  return made;
};

describe('a tenant with megabytes of definitions', () => {
  let made: TestAssay;
  const cleaning: (() => Promise<void>)[] = [];
  before(async () => {
    made = await largeTenant({ after: (clean) => void cleaning.push(clean) });
  });
  after(async () => {
    for (const clean of cleaning) await clean();
  });

  test('X.06 a snapshot is written in parts, and for each quarter of a megabyte waits for its tenant’s turn', async () => {
    const { assay, app } = made;
    let turns = 0;
    const turnsOf = { own: async () => void turns++ };

    const parts = await Array.fromAsync(await exportSnapshot({ ...assay, turns: turnsOf }, adminActor()));

    assert.ok(Math.max(...parts.map(({ length }) => length)) < 400_000);
    assert.ok(turns >= 60, `${turns} turns for twice 10 MB`);
    const answer = await app.request('/v1/snapshot', { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
    const text = await answer.text();
    assert.equal(answer.headers.get('content-type'), 'application/json');
    assert.equal(text, parts.join(''));
    assert.equal((JSON.parse(text) as Snapshot).tools.length, COUNT);
  });

  test('X.06 a page of large tools ends after two megabytes, and the next ones have the rest', async () => {
    const { app } = made;
    for (const asked of ['limit=1000', 'q=weather city field&limit=1000']) {
      const names: string[] = [];
      for (let cursor = ''; ; ) {
        const response = await app.request(`/v1/tools?${asked}${cursor}`, {
          headers: { authorization: `Bearer ${ADMIN_KEY}` },
        });
        const text = await response.text();
        assert.ok(text.length < 2.2e6, `${text.length} characters`);
        const page = JSON.parse(text) as Page;
        names.push(...page.tools.map(({ spec }) => spec.name));
        if (page.next_cursor === undefined) break;
        cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
      }
      assert.equal(new Set(names).size, names.length, asked);
      assert.equal(names.filter((name) => name.startsWith('tool_')).length, COUNT, asked);
    }
  });

  test('X.06 the search index of large tools is built in slices, between which others go on', async () => {
    const { table, clock } = made.assay;
    const tenant = await createCatalogs({ table, clock, layer: new Map() }).of('default');
    assert.equal(tenant.catalog.size, COUNT);
    let turns = 0;
    const count = (): void => {
      turns++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);

    await tenant.search();
    clearImmediate(counting);

    assert.ok(turns >= 5, `${turns} turns for ${COUNT} tools`);
  });

  test('X.06 more definitions than a model reads are refused, and found by a search or chosen', async () => {
    const { json, app } = made;
    const ask = (path: string) => json<{ error: { code: string; message: string } }>('GET', path);

    for (const path of ['openai/tools', 'anthropic/tools?strict=true', 'openai/tools?mode=tool_search', 'mcp/tools']) {
      const { status, body } = await ask(`/v1/providers/${path}`);
      assert.equal(status, 413, path);
      assert.match(
        body.error.message,
        /^these \d+ tools have more than 8388608 characters, .* choose some by allowed,/,
      );
    }
    assert.equal((await ask('/v1/providers/openai/tools?mode=search')).status, 200);
    assert.equal((await ask('/v1/providers/openai/tools?allowed=tool_1,tool_2')).status, 200);
    assert.equal((await ask('/v1/providers/openai/tools?tags=small')).status, 200);
    const prompt = await app.request('/v1/prompt', { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
    assert.equal(prompt.status, 413);
  });
});
