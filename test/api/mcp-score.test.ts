import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { MAP_DEFINITION } from '../../shared/iqa/map-tool.ts';
import { toDefinitions } from '../../shared/iqa/to-definitions.ts';
import { type TestAssay, testAssay } from '../support/assay.ts';
import { goldenImage, testEngine, testIqa } from '../support/iqa.ts';
import { connectClient, textOf } from '../support/mcp.ts';
import { aTool } from '../support/tools.ts';

const base64 = (name: string) => ({ base64: Buffer.from(goldenImage(name).bytes).toString('base64') });
const pair = { image: base64('chelsea_jpeg_2.png'), reference: base64('chelsea.png') };

interface Report {
  readonly scores: readonly { readonly tool: string; readonly hallmark?: object }[];
  readonly overall: { readonly score: number };
  readonly hallmark?: object;
}

describe('pictures over MCP', () => {
  const engine = testEngine();
  let server: TestAssay;
  before(async () => {
    const table = memoryTable();
    const blobs = memoryBlobs();
    const { privateKey: signingKey } = generateKeyPairSync('ed25519');
    const iqa = testIqa({ engine, table, blobs, signingKey });
    const metrics = iqa.catalogue.tools.filter(({ name }) => ['ssim', 'psnr'].includes(name));
    server = await testAssay({
      table,
      blobs,
      iqa,
      handlers: { builtin: new Map(), internal: iqa.handlers },
      discover: async () => [
        { kind: 'shipped', source: 'assay', definitions: [...toDefinitions(metrics), MAP_DEFINITION] },
      ],
    });
  });
  after(() => engine.close());
  const connect = async (options: { readonly tools?: string[]; readonly path?: string } = {}) => {
    const key = await server.key({ scopes: ['read', 'invoke'], tools: options.tools });
    return connectClient(server.app, key, { era: 'modern', path: options.path ?? '/mcp' });
  };

  test('X.21 score and score_map are MCP tools: scores in one call, and the map as an image block', async () => {
    const client = await connect();

    const { tools } = await client.listTools();
    const scored = await client.callTool({ name: 'score', arguments: { ...pair, tools: ['ssim', 'psnr'] } });
    const mapped = await client.callTool({ name: 'score_map', arguments: pair });
    await client.close();

    assert.deepEqual(
      tools.map(({ name }) => name).filter((name) => name.startsWith('score')),
      ['score', 'score_map'],
    );
    const report = scored.structuredContent as unknown as Report;
    assert.deepEqual(
      report.scores.map(({ tool }) => tool),
      ['ssim', 'psnr'],
    );
    assert.deepEqual(
      (mapped.content as readonly { readonly type: string }[]).map(({ type }) => type),
      ['image', 'text'],
    );
    assert.equal(mapped.structuredContent, undefined);
  });

  test('an MCP score has a hallmark when requested, by _meta or by an argument', async () => {
    const client = await connect();
    const asked = { _meta: { 'assay/hallmark': true } };
    const report = async (call: object) =>
      (await client.callTool({ name: 'score', arguments: { ...pair, tools: ['ssim'] }, ...call }))
        .structuredContent as unknown as Report;

    const plain = await report({});
    const byMeta = await report(asked);
    const byArgument = await report({ arguments: { ...pair, tools: ['ssim'], hallmark: true } });
    const ssim = await client.callTool({ name: 'ssim', arguments: pair });
    const signed = await client.callTool({ name: 'ssim', arguments: pair, ...asked });
    await client.close();

    assert.ok(plain.hallmark === undefined && plain.scores[0]?.hallmark === undefined);
    for (const each of [byMeta, byArgument]) assert.ok(each.hallmark && each.scores[0]?.hallmark);
    assert.ok(!textOf(ssim).includes('hallmark') && textOf(signed).includes('hallmark'));
  });

  test('the MCP score tool respects confined keys, reports errors as results, and gives way to a tenant’s tool of that name', async () => {
    const [none, ssim, search] = await Promise.all([
      connect({ tools: ['score_map'] }),
      connect({ tools: ['ssim'] }),
      connect({ path: '/mcp?mode=search' }),
    ]);
    const namesOf = async (client: typeof none) => (await client.listTools()).tools.map(({ name }) => name);

    assert.ok(!(await namesOf(none)).includes('score'));
    await assert.rejects(none.callTool({ name: 'score', arguments: pair }), /score/);
    assert.deepEqual(await namesOf(ssim), ['score', 'ssim']);
    const hidden = await ssim.callTool({ name: 'score', arguments: { ...pair, tools: ['psnr'] } });
    const wrong = await ssim.callTool({ name: 'score', arguments: { image: 7 } });
    const inside = { name: 'score', arguments: { ...pair, tools: ['ssim'] } };
    const searched = await search.callTool({ name: 'call_tool', arguments: inside });
    await server.json('POST', '/v1/tools', aTool({ name: 'score' }));
    const theirs = await search.callTool({ name: 'call_tool', arguments: { name: 'score', arguments: { city: 'x' } } });
    await server.json('DELETE', '/v1/tools/score');
    await Promise.all([none.close(), ssim.close(), search.close()]);

    assert.ok(hidden.isError && wrong.isError);
    assert.match(textOf(wrong), /InvalidInput: .*image/);
    assert.equal((JSON.parse(textOf(searched)) as Report).scores[0]?.tool, 'ssim');
    assert.deepEqual(JSON.parse(textOf(theirs)), { temperature: 21 });
  });
});
