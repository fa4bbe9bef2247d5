import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { goldenImage } from '../support/iqa.ts';
import { isWhole } from '../support/sampling.ts';
import { clients } from './clients.ts';
import { optionalClients } from './optional-clients.ts';
import { startTableServer } from './table-server.ts';

/** A sample leaves out the one that is a process for each call: two other suites list and call with it. */
const { 'MCP Inspector': inspector, ...others } = clients;
const tried = isWhole ? { ...clients, ...optionalClients } : { ...others, ...optionalClients };

describe('the table of clients', () => {
  let server: Awaited<ReturnType<typeof startTableServer>>;
  let picture: Buffer;
  before(async () => {
    server = await startTableServer();
    // Small enough for a command line.
    picture = await sharp(goldenImage('chelsea.png').bytes).resize(24).png().toBuffer();
  });
  after(() => server.close());

  for (const [name, { connect, isMissing }] of Object.entries(tried)) {
    const skip = isMissing?.() ? 'it is not installed; npm run clients' : false;
    test(`${name} lists tools, calls them, gets a picture, is refused, and succeeds after approval`, {
      skip,
    }, async () => {
      const client = await connect(server);
      const image = { base64: picture.toString('base64') };
      const write = { path: `${name.replaceAll(/\W/g, '')}.txt`, content: 'hello' };

      const tools = await client.list();
      const counted = await client.call('text_stats', { text: 'one two' });
      const small = await client.call('image_resize', { image, width: 8 });
      const refused = await client.call('file_write', write);
      const id = /confirmation (\w{26})/.exec(refused.text)?.[1] ?? '';
      const approved = await server.approve(id);
      const passed = await client.call('file_write', write);
      await client.close();

      assert.ok(tools.includes('text_stats') && tools.includes('file_write'));
      assert.match(counted.text, /"words":2/);
      assert.ok(small.hasPicture, small.text);
      assert.deepEqual([refused.isError, approved.status, passed.isError], [true, 200, false], refused.text);
    });
  }
});
