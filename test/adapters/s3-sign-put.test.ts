import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { s3Blobs } from '../../shared/adapters/aws/s3-blobs.ts';
import { s3SignPut } from '../../shared/adapters/aws/s3-sign-put.ts';
import { type LocalS3, localCredentials, localRegion, startS3 } from '../support/s3.ts';

const now = Date.parse('2026-03-01T12:00:00.900Z');

describe('presigned S3 uploads', () => {
  let s3: LocalS3;
  before(async () => {
    s3 = await startS3();
  });
  after(() => s3.stop());

  const sign = () =>
    s3SignPut({
      bucket: s3.bucket,
      now: () => now,
      config: { endpoint: s3.endpoint, region: localRegion, credentials: localCredentials, forcePathStyle: true },
    });

  test('C.03 C.07 a presigned upload fixes type, size and expiry, and needs no checksum of a body yet unknown', async () => {
    const { url, headers, expires_at } = await sign()('images/t/a.png', {
      contentType: 'image/png',
      size: 5,
      seconds: 900,
    });
    const query = new URL(url).searchParams;

    assert.equal(query.get('X-Amz-SignedHeaders'), 'content-length;content-type;host');
    assert.equal(query.get('X-Amz-Expires'), '900');
    assert.equal(query.get('X-Amz-Date'), '20260301T120000Z');
    assert.deepEqual(
      [...query.keys()].filter((name) => /checksum/i.test(name)),
      [],
    );
    assert.deepEqual(headers, { 'content-type': 'image/png', 'content-length': '5' });
    assert.equal(expires_at, '2026-03-01T12:15:00.000Z');
  });

  test('another size or type gives another upload signature', async () => {
    const signatureOf = async (contentType: string, size?: number) => {
      const { url } = await sign()('images/t/a.png', { contentType, size, seconds: 900 });
      return new URL(url).searchParams.get('X-Amz-Signature');
    };

    const signatures = await Promise.all([
      signatureOf('image/png', 5),
      signatureOf('image/png', 6),
      signatureOf('image/jpeg', 5),
      signatureOf('image/png'),
    ]);

    assert.equal(new Set(signatures).size, 4);
  });

  test('without a size, a presigned upload fixes only the type', async () => {
    const { url, headers } = await sign()('images/t/a.png', { contentType: 'image/webp', seconds: 60 });

    assert.equal(new URL(url).searchParams.get('X-Amz-SignedHeaders'), 'content-type;host');
    assert.deepEqual(headers, { 'content-type': 'image/webp' });
  });

  test('a picture uploaded to the presigned URL is stored in the bucket', async () => {
    const signed = await sign()('images/t/b.png', { contentType: 'image/png', size: 5, seconds: 900 });

    const { status } = await fetch(signed.url, { method: 'PUT', headers: signed.headers, body: 'bytes' });

    assert.equal(status, 200);
    const stored = await s3Blobs(s3).get('images/t/b.png');
    assert.equal(Buffer.from(stored ?? []).toString(), 'bytes');
  });
});
