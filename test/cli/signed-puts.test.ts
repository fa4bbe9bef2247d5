import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createApp } from '../../functions/api/app.ts';
import { signedUploadRoutes } from '../../functions/cli/local-uploads.ts';
import { localSignPut } from '../../shared/adapters/files/signed-put.ts';
import { testAssay } from '../support/assay.ts';

const secret = new Uint8Array(32);

/** A server that takes pictures at signed addresses and stores none of them. */
const receiver = async () => {
  const { assay } = await testAssay();
  const uploads = { store: async () => {}, takeOver: async () => {}, idle: async () => {}, close: async () => {} };
  const app = createApp(assay, { routes: signedUploadRoutes(assay, uploads, secret) });
  const signPut = localSignPut({ secret, base: () => '', now: assay.clock.now });
  return {
    put: async (path: string, body: BodyInit) => {
      const { url, headers } = await signPut(path, { contentType: 'image/png', seconds: 60 });
      return app.request(url, { method: 'PUT', headers, body, duplex: 'half' } as RequestInit);
    },
    app,
  };
};

const chunk = new Uint8Array(1 << 20);

describe('uploads without a stated length', () => {
  test('X.07 an upload of unknown length is counted as it streams: 600 MB is cut off at the limit', async () => {
    const { put } = await receiver();
    let left = 600;
    const body = new ReadableStream({ pull: (stream) => (left-- > 0 ? stream.enqueue(chunk) : stream.close()) });

    const response = await put('uploads/loud/a.png', body);

    assert.equal(response.status, 413);
    assert.ok(left > 480, `${600 - left} MB were read`);
  });

  test('X.07 an upload of unknown length counts as the largest: a tenant sends two at a time, beside another tenant’s', async () => {
    const { put } = await receiver();
    const ends: (() => void)[] = [];
    const open = () => new ReadableStream({ start: (stream) => void ends.push(() => stream.close()) });
    const underWay = [put('uploads/loud/a.png', open()), put('uploads/loud/b.png', open())];
    // Each has been admitted once its turn is over.
    await new Promise((resolve) => setImmediate(resolve));

    const third = await put('uploads/loud/c.png', open());
    assert.equal(third.status, 429);
    assert.match(await third.text(), /at most 209715200 are taken at a time: state each length/);
    assert.equal((await put('uploads/polite/a.png', 'small')).status, 200);

    for (const end of ends) end();
    assert.deepEqual(
      (await Promise.all(underWay)).map(({ status }) => status),
      [200, 200],
    );
    assert.equal((await put('uploads/loud/d.png', 'small')).status, 200);
  });

  test('an upload URL that is not percent-encoded is refused with 400', async () => {
    const { app } = await receiver();

    const response = await app.request('/uploads/%zz', { method: 'PUT', body: 'x' });

    assert.equal(response.status, 400);
    assert.match(await response.text(), /not percent-encoded/);
  });
});
