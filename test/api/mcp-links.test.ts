import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { testAssay } from '../support/assay.ts';
import { connectClient, eras, textOf } from '../support/mcp.ts';
import { aTool } from '../support/tools.ts';

const picture = randomBytes(40_000);
const small = randomBytes(100).toString('base64');

const outputs = {
  mapped: { score: 3.2, map: { content_type: 'image/png', base64: picture.toString('base64') } },
  embedded: { image: `data:image/jpeg;base64,${picture.toString('base64')}` },
  content: { content: [{ type: 'image', mimeType: 'image/webp', data: picture.toString('base64') }] },
  inline: { map: { content_type: 'image/png', base64: small } },
  text: { base64: 'x'.repeat(20_000), content_type: 'text/plain' },
};

const start = async () => {
  const given = await testAssay({ blobs: memoryBlobs() });
  for (const [name, mock_response] of Object.entries(outputs))
    await given.json('POST', '/v1/tools', aTool({ name, implementation: { type: 'mock', mock_response } }));
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

test('what is small or no picture stays in the output', async () => {
  const given = await start();
  const key = await given.key({ scopes: ['read', 'invoke'] });
  const client = await connectClient(given.app, key, { era: 'modern' });

  const inline = await client.callTool({ name: 'inline', arguments: { city: 'x' } });
  const text = await client.callTool({ name: 'text', arguments: { city: 'x' } });
  await client.close();

  assert.deepEqual(inline.structuredContent, outputs.inline);
  assert.equal(textOf(text), JSON.stringify(outputs.text));
});

test('a link leads nowhere for another tenant, and no link leads out of the results', async () => {
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
