import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serveAssay } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const KEY = 'a-fixed-admin-key-1';
const golden = (name: string): string => fileURLToPath(new URL(`../golden/iqa/${name}`, import.meta.url));

interface Signed {
  readonly key: string;
  readonly url: string;
  readonly headers: Record<string, string>;
}

const until = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
  for (let tries = 0; tries < 300; tries++) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('it never came');
};

const readJson = async (file: string): Promise<{ status: string; error?: { message: string } } | undefined> => {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text === '' ? undefined : (JSON.parse(text) as { status: string });
};

describe('uploads', () => {
  test('C.07 an uploaded picture is scored by its event, once, and charged to the key that announced it', async (t) => {
    const cwd = await temporaryDirectory(t);
    const served = await serveAssay({ cwd, env: { ASSAY_ADMIN_KEY: KEY } });
    t.after(() => served.stop());
    const call = async <T>(
      method: string,
      path: string,
      body?: unknown,
      key = KEY,
    ): Promise<{ status: number; body: T }> => {
      const response = await fetch(`${served.address}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as T };
    };
    const { body: payer } = await call<{ key: string; id: string }>('POST', '/v1/keys', {
      scopes: ['invoke', 'read'],
      quota: { calls: 10 },
    });
    const bytes = await readFile(golden('chelsea_jpeg_2.png'));

    const wish = { content_type: 'image/png', size: bytes.length, tools: ['niqe', 'entropy'] };
    const { status, body: signed } = await call<Signed>('POST', '/v1/uploads', wish, payer.key);
    assert.equal(status, 201);
    const put = (url: string, type = 'image/png', body: Uint8Array = bytes) =>
      fetch(url, { method: 'PUT', headers: { 'content-type': type }, body: Uint8Array.from(body) });

    assert.equal((await put(signed.url.replace('/default/', '/evil/'))).status, 403);
    assert.equal((await put(signed.url, 'image/jpeg')).status, 403);
    assert.equal((await put(signed.url.replace(/size=\d+/, 'size=9'))).status, 403);
    assert.equal((await put(signed.url, 'image/png', bytes.subarray(1))).status, 400);
    assert.equal(
      (await call<{ status: string }>('GET', `/v1/images/${signed.key}/scores`, undefined, payer.key)).body.status,
      'pending',
    );
    assert.equal((await put(signed.url)).status, 200);
    assert.equal((await put(signed.url)).status, 200);

    const scored = await until(async () => {
      const { body } = await call<{ status: string; scores: { tool: string }[] }>(
        'GET',
        `/v1/images/${signed.key}/scores`,
        undefined,
        payer.key,
      );
      return body.status === 'scored' ? body : undefined;
    });
    assert.deepEqual(
      scored.scores.map(({ tool }) => tool),
      ['niqe', 'entropy'],
    );
    const beside = await until(() => readJson(join(cwd, '.assay/blobs/scores/default', `${signed.key}.json`)));
    assert.equal(beside.status, 'scored');
    const { body: usage } = await call<{ keys: { key_id: string; tools: unknown[] }[] }>(
      'GET',
      '/v1/usage',
      undefined,
      payer.key,
    );
    assert.deepEqual(
      usage.keys.map(({ key_id, tools }) => [key_id, tools.length]),
      [[payer.id, 1]],
    );
    const { body: proof } = await call<{ ledger: { calls: number }; differences: unknown[] }>(
      'GET',
      '/v1/usage/verification',
    );
    assert.deepEqual([proof.ledger.calls, proof.differences], [1, []]);

    const { body: other } = await call<{ key: string }>('POST', '/v1/keys', { scopes: ['read'], tenant: 'evil' });
    assert.equal((await call('GET', `/v1/images/${signed.key}/scores`, undefined, other.key)).status, 404);
    assert.equal((await call('GET', '/v1/images/..%2Fx/scores')).status, 400);
    assert.equal((await call('POST', '/v1/uploads', { content_type: 'text/html' })).status, 400);
  });

  test('C.07 a picture put into the inbox by hand is scored, and a file that is not a picture is moved aside', async (t) => {
    const cwd = await temporaryDirectory(t);
    await mkdir(join(cwd, '.assay/inbox'), { recursive: true });
    await copyFile(golden('chelsea.png'), join(cwd, '.assay/inbox/left.png'));
    await writeFile(join(cwd, '.assay/inbox/left.png.scores.json'), '{\n  "status": "pending"\n}');
    const served = await serveAssay({ cwd, env: { ASSAY_ADMIN_KEY: KEY } });
    t.after(() => served.stop());

    await copyFile(golden('chelsea.png'), join(cwd, '.assay/inbox/cat.png'));
    await copyFile(fileURLToPath(import.meta.url), join(cwd, '.assay/inbox/fake.png'));

    const read = (name: string) => () => readJson(join(cwd, '.assay/inbox', name));
    assert.equal((await until(read('cat.png.scores.json'))).status, 'scored');
    const left = async () => {
      const scores = await read('left.png.scores.json')();
      return scores?.status === 'pending' ? undefined : scores;
    };
    assert.equal((await until(left)).status, 'scored');
    const fake = await until(read('fake.png.scores.json'));
    assert.equal(fake.status, 'failed');
    assert.match(fake.error?.message ?? '', /cannot be read as a picture/);
    const aside = await readdir(join(cwd, '.assay/dead-letters'));
    assert.equal(aside.filter((name) => name.endsWith('fake.png.json')).length, 1);
  });
});
