import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createToolBook } from '../../functions/api/mcp/tool-book.ts';
import { visibleTools } from '../../shared/access/visible-tools.ts';
import type { Handler } from '../../shared/kernel/ports.ts';
import { ADMIN_KEY, type TestAssay, testAssay } from '../support/assay.ts';
import { connectClient, eras, textOf } from '../support/mcp.ts';
import { aTool } from '../support/tools.ts';

const register = async ({ json }: TestAssay, ...tools: readonly Readonly<Record<string, unknown>>[]): Promise<void> => {
  for (const tool of tools) assert.equal((await json('POST', '/v1/tools', aTool(tool))).status, 201);
};

const builtin = (name: string, run: Handler['run'], permission: Handler['permission'] = 'safe') => ({
  handlers: { builtin: new Map([[name, { permission, run }]]), internal: new Map() },
  discover: async () => [
    {
      kind: 'shipped' as const,
      source: 'test',
      definitions: [aTool({ name, handler: name, implementation: { type: 'builtin', handler: name } })],
    },
  ],
});

for (const era of eras)
  describe(`the official client over the ${era} protocol`, () => {
    test('tools/list has the enabled tools of the key’s tenant, in order, and no others', async () => {
      const given = await testAssay();
      await register(given, { name: 'b_tool' }, { name: 'a.tool' }, { name: 'off' });
      await given.json('PATCH', '/v1/tools/off', { enabled: false });
      const other = await given.key({ tenant: 'other', scopes: ['read'] });
      const confined = await given.key({ scopes: ['read'], tools: ['b_tool'] });

      const seen = async (key: string) => {
        const client = await connectClient(given.app, key, { era });
        const { tools } = await client.listTools();
        await client.close();
        return tools.map(({ name }) => name);
      };

      assert.deepEqual(await seen(ADMIN_KEY), ['a.tool', 'b_tool']);
      assert.deepEqual(await seen(other), []);
      assert.deepEqual(await seen(confined), ['b_tool']);
    });

    test('an MCP client gets a long tool list in pages of bounded bytes', async () => {
      const description = 'Look up the weather of a city. '.repeat(30);
      const given = await testAssay({
        discover: async () => [
          {
            kind: 'shipped',
            source: 'test',
            definitions: Array.from({ length: 2120 }, (_, n) =>
              aTool({ name: `tool_${String(n).padStart(4, '0')}`, description }),
            ),
          },
        ],
      });
      const client = await connectClient(given.app, ADMIN_KEY, { era });

      const pages: string[][] = [];
      const sizes: number[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.request({
          method: 'tools/list',
          params: cursor === undefined ? {} : { cursor },
        });
        pages.push(page.tools.map(({ name }) => name));
        sizes.push(JSON.stringify(page.tools).length);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      await assert.rejects(client.request({ method: 'tools/list', params: { cursor: 'other' } }), { code: -32_602 });
      await client.close();

      assert.equal(pages.length, 2);
      assert.ok(sizes.every((bytes) => bytes < 2_010_000));
      assert.equal(new Set(pages.flat()).size, 2120);
    });

    test('calling a tool over MCP returns its output as text and as structured content', async () => {
      const given = await testAssay();
      const output_schema = {
        type: 'object',
        properties: { temperature: { type: 'number' } },
        required: ['temperature'],
      };
      await register(given, { output_schema });
      const client = await connectClient(given.app, ADMIN_KEY, { era });

      const { tools } = await client.listTools();
      const result = await client.callTool({ name: 'weather_lookup', arguments: { city: 'Paris' } });
      await client.close();

      assert.deepEqual(tools[0]?.outputSchema, output_schema);
      assert.deepEqual(result.structuredContent, { temperature: 21 });
      assert.equal(textOf(result), '{"temperature":21}');
      assert.equal(typeof result._meta?.['assay/call_id'], 'string');
    });

    test('texts, lists and null come through MCP unchanged', async () => {
      const given = await testAssay();
      const answering = (name: string, mock_response: unknown, more = {}) => ({
        name,
        implementation: { type: 'mock', mock_response },
        ...more,
      });
      await register(
        given,
        answering('text', 'hello'),
        answering('list', [1, 2]),
        answering('nothing', null),
        answering('listed', [1], { output_schema: { type: 'array', items: { type: 'integer' } } }),
      );
      const client = await connectClient(given.app, ADMIN_KEY, { era });
      const call = async (name: string) => textOf(await client.callTool({ name, arguments: { city: 'x' } }));

      assert.equal(await call('text'), 'hello');
      assert.equal(await call('list'), '[1,2]');
      assert.equal(await call('nothing'), 'null');
      assert.equal(await call('listed'), '[1]');
      await client.close();
    });

    test('MCP annotations tell what a tool may do, as strictly as its handler', async () => {
      const given = await testAssay(builtin('writes', async () => 'written', 'confirm'));
      await register(given, { name: 'reads' }, { name: 'erases', permission: 'dangerous' });
      const client = await connectClient(given.app, ADMIN_KEY, { era });

      const { tools } = await client.listTools();
      await client.close();

      const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
      assert.deepEqual(hints.reads, { readOnlyHint: true, destructiveHint: false });
      assert.deepEqual(hints.writes, { readOnlyHint: false, destructiveHint: false });
      assert.deepEqual(hints.erases, { readOnlyHint: false, destructiveHint: true });
    });

    test('MCP reports a tool’s failure as a result, and an unknown tool as an error', async () => {
      const fails = async () => {
        throw new TypeError('the disk is full');
      };
      const given = await testAssay(builtin('fails', fails));
      await register(given, {});
      const client = await connectClient(given.app, ADMIN_KEY, { era });

      const failed = await client.callTool({ name: 'fails', arguments: { city: 'x' } });
      const invalid = await client.callTool({ name: 'weather_lookup', arguments: { town: 'Paris' } });
      const unknown = client.callTool({ name: 'wether_lookup', arguments: {} });

      assert.equal(failed.isError, true);
      assert.equal(textOf(failed), 'TypeError: the disk is full');
      assert.equal(invalid.isError, true);
      assert.match(textOf(invalid), /^InvalidInput: arguments of weather_lookup are not valid.*city/);
      await assert.rejects(unknown, { code: -32_602, message: /did you mean weather_lookup/ });
      await client.close();
    });

    test('an MCP client follows the progress of a long call', async () => {
      const slow: Handler['run'] = async (_, { progress }) => {
        for (const done of [1, 2, 2, 3]) {
          progress?.(done, 3, `step ${done}`);
          await setTimeout(5);
        }
        return 'ready';
      };
      const { app } = await testAssay(builtin('slow', slow));
      const client = await connectClient(app, ADMIN_KEY, { era });
      const seen: unknown[] = [];

      const result = await client.callTool(
        { name: 'slow', arguments: { city: 'x' } },
        { onprogress: ({ progress, total, message }) => seen.push([progress, total, message]) },
      );
      await client.close();

      assert.equal(textOf(result), 'ready');
      assert.deepEqual(seen, [
        [1, 3, 'step 1'],
        [2, 3, 'step 2'],
        [3, 3, 'step 3'],
      ]);
    });

    test('an MCP client needs the scope for each method', async () => {
      const given = await testAssay();
      await register(given, {});
      const reader = await connectClient(given.app, await given.key({ scopes: ['read'] }), { era });
      const runner = await connectClient(given.app, await given.key({ scopes: ['invoke'] }), { era });

      const call = { name: 'weather_lookup', arguments: { city: 'x' } };
      await assert.rejects(reader.callTool(call), /needs invoke/);
      await assert.rejects(runner.request({ method: 'tools/list', params: {} }), /needs read/);
      assert.equal((await runner.callTool(call)).isError, undefined);
      await Promise.all([reader.close(), runner.close()]);
    });

    test('in search mode MCP lists two tools, which find and call all others', async () => {
      const given = await testAssay();
      await register(
        given,
        {},
        { name: 'image_resize', description: 'Resize a picture to a width', tags: ['image'] },
        { name: 'hidden', description: 'Resize a picture in secret' },
      );
      await given.json('PATCH', '/v1/tools/hidden', { enabled: false });
      const client = await connectClient(given.app, ADMIN_KEY, { era, path: '/mcp?mode=search' });

      const { tools } = await client.listTools();
      const found = await client.callTool({
        name: 'find_tools',
        arguments: { query: 'make a picture smaller', limit: 2 },
      });
      const args = { name: 'weather_lookup', arguments: { city: 'Paris' } };
      const called = await client.callTool({ name: 'call_tool', arguments: args });
      const wrong = await client.callTool({ name: 'call_tool', arguments: { name: 'image_rezise', arguments: {} } });
      const vague = await client.callTool({ name: 'find_tools', arguments: { query: '' } });
      await client.close();

      assert.deepEqual(tools.map(({ name }) => name).sort(), ['call_tool', 'find_tools']);
      const names = (found.structuredContent as { tools: { name: string; parameters: unknown }[] }).tools;
      assert.equal(names[0]?.name, 'image_resize');
      assert.ok(names[0]?.parameters);
      assert.ok(!names.some(({ name }) => name === 'hidden'));
      assert.deepEqual(called.structuredContent, { temperature: 21 });
      assert.match(textOf(wrong), /^NotFound: .*did you mean image_resize/);
      assert.equal(vague.isError, true);
    });
  });

test('MCP definitions are built once, and again only for the tool that changed', async () => {
  const given = await testAssay();
  await register(given, { name: 'one' }, { name: 'two' });
  const book = createToolBook(given.assay.handlers);
  const pageNow = async () =>
    book.page((await given.assay.catalogs.of('default')).catalog, visibleTools({}), undefined, undefined).tools;

  const [one, two] = await pageNow();
  await given.json('PATCH', '/v1/tools/two', { deprecated: 'old' });
  const [oneAgain, twoAgain] = await pageNow();

  assert.equal(oneAgain, one);
  assert.notEqual(twoAgain, two);
});
