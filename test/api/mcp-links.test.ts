import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { testAssay } from '../support/assay.ts';
import { connectClient, eras, textOf } from '../support/mcp.ts';
import { aTool } from '../support/tools.ts';

const picture = randomBytes(140_000);
const small = randomBytes(100).toString('base64');

const outputs = {
  mapped: { score: 3.2, map: { content_type: 'image/png', base64: picture.toString('base64') } },
  embedded: { image: `data:image/jpeg;base64,${picture.toString('base64')}` },
  content: { content: [{ type: 'image', mimeType: 'image/webp', data: picture.toString('base64') }] },
  inline: { map: { content_type: 'image/png', base64: small } },
  resized: { base64: small, format: 'webp', width: 3 },
  spoken: { content: [{ type: 'audio', mimeType: 'audio/wav', data: small }] },
  broken: { map: { content_type: 'image/png', base64: 'no base64!' } },
  many: { maps: Array.from({ length: 6 }, () => `data:image/png;base64,${randomBytes(90_000).toString('base64')}`) },
  text: { base64: 'x'.repeat(20_000), content_type: 'text/plain' },
};

const start = async () => {
  const builtin = new Map(
    Object.entries(outputs).map(([name, output]) => [name, { permission: 'safe' as const, run: async () => output }]),
  );
  const given = await testAssay({ blobs: memoryBlobs(), handlers: { builtin, internal: new Map() } });
  for (const name of builtin.keys())
    await given.json('POST', '/v1/tools', aTool({ name, implementation: { type: 'builtin', handler: name } }));
  return given;
};

interface Link {
  readonly type: string;
  readonly uri: string;
  readonly mimeType: string;
  readonly size: number;
}

for (const era of eras)
  test(`a picture in an output becomes a link that the client can read, over the ${era} protocol`, async () => {
    const given = await start();
    const key = await given.key({ scopes: ['read', 'invoke'] });
    const client = await connectClient(given.app, key, { era });
    const types = { mapped: 'image/png', embedded: 'image/jpeg', content: 'image/webp' };

    for (const [name, type] of Object.entries(types)) {
      const result = await client.callTool({ name, arguments: { city: 'x' } });
      const link = (result.content as unknown as Link[]).find((block) => block.type === 'resource_link');
      assert.ok(JSON.stringify(result).length < 2000, name);
      assert.equal(link?.mimeType, type);
      assert.equal(link?.size, picture.length);

      const { contents } = await client.readResource({ uri: link?.uri ?? '' });
      assert.deepEqual(Buffer.from((contents[0] as { blob: string }).blob, 'base64'), picture);
    }
    await client.close();
  });

test('X.21 small pictures become image blocks, once and never text; other values stay in the output', async () => {
  const given = await start();
  const key = await given.key({ scopes: ['read', 'invoke'] });
  const client = await connectClient(given.app, key, { era: 'modern' });

  const inline = await client.callTool({ name: 'inline', arguments: { city: 'x' } });
  const text = await client.callTool({ name: 'text', arguments: { city: 'x' } });
  await client.close();

  assert.deepEqual((inline.content as unknown[])[1], { type: 'image', mimeType: 'image/png', data: small });
  assert.deepEqual(inline.structuredContent, { map: { content_type: 'image/png', base64: 'image block 1' } });
  assert.equal(JSON.stringify(inline).split(small).length, 2);
  assert.equal(textOf(text), JSON.stringify(outputs.text));
});

test('X.21 sounds become audio blocks, and text that is not base64 stays unchanged', async () => {
  const given = await start();
  const key = await given.key({ scopes: ['read', 'invoke'] });
  const client = await connectClient(given.app, key, { era: 'modern' });

  const spoken = await client.callTool({ name: 'spoken', arguments: { city: 'x' } });
  const broken = await client.callTool({ name: 'broken', arguments: { city: 'x' } });
  const resized = await client.callTool({ name: 'resized', arguments: { city: 'x' } });
  await client.close();

  assert.deepEqual(spoken.content, outputs.spoken.content);
  assert.deepEqual(broken.structuredContent, outputs.broken);
  assert.deepEqual((resized.content as unknown[])[1], { type: 'image', mimeType: 'image/webp', data: small });
});

test('X.21 the blocks of one result share a size limit, and the rest become links', async () => {
  const given = await start();
  const key = await given.key({ scopes: ['invoke'] });
  const client = await connectClient(given.app, key, { era: 'modern' });

  const { content } = await client.callTool({ name: 'many', arguments: { city: 'x' } });
  const blocks = content as unknown as Link[];
  const read = await client.readResource({ uri: blocks.at(-1)?.uri ?? '' });
  await client.close();

  assert.deepEqual(
    blocks.map(({ type }) => type),
    ['text', 'image', 'image', 'image', 'image', 'resource_link', 'resource_link'],
  );
  assert.equal(read.contents.length, 1, 'the key that was given the link can read it, though it may only invoke');
});

test('a result link is useless to another tenant, and no link reaches outside the results', async () => {
  const given = await start();
  const owner = await connectClient(given.app, await given.key({ scopes: ['read', 'invoke'] }), { era: 'modern' });
  const stranger = await connectClient(given.app, await given.key({ tenant: 'other', scopes: ['read', 'invoke'] }), {
    era: 'modern',
  });
  const result = await owner.callTool({ name: 'mapped', arguments: { city: 'x' } });
  const { uri } = (result.content as unknown as Link[]).find((block) => block.type === 'resource_link') as Link;

  for (const asked of [
    uri,
    'assay://results/../../models/x',
    'assay://results/',
    'file:///etc/passwd',
    'https://x.y/z',
  ])
    await assert.rejects(stranger.readResource({ uri: asked }), { code: -32_602 });
  assert.equal((await owner.readResource({ uri })).contents.length, 1);
  await Promise.all([owner.close(), stranger.close()]);
});
