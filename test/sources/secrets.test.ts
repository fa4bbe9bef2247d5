import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { secretsKey } from '../../functions/compose/local-secrets.ts';
import { jsonService } from '../../shared/adapters/aws/json-service.ts';
import { kmsDataKeys } from '../../shared/adapters/aws/kms-keys.ts';
import { localDataKeys } from '../../shared/adapters/files/local-keys.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { canonicalJson } from '../../shared/kernel/canonical-json.ts';
import { sourceSecretKey } from '../../shared/kernel/item-keys.ts';
import { type DataKeys, openSecret, sealSecret } from '../../shared/kernel/secret-box.ts';
import { Credentials } from '../../shared/model/credentials.ts';
import { createSourceSecrets } from '../../shared/sources/secrets.ts';
import { hideSecrets, sendCredentials } from '../../shared/sources/send-credentials.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** As KMS answers: the plaintext of a blob comes back for its own encryption context alone. */
const blobs = new Map<string, { readonly plain: string; readonly context: string }>();
const kms = createServer(async (request, response) => {
  const input = (await json(request)) as { CiphertextBlob?: string; EncryptionContext: unknown; KeyId: string };
  const context = canonicalJson(input.EncryptionContext);
  const answer = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
  if (input.KeyId !== 'key') return answer(400, { __type: 'NotFoundException' });
  if (request.headers['x-amz-target'] === 'TrentService.GenerateDataKey') {
    const [plain, blob] = [randomBytes(32).toString('base64'), randomBytes(60).toString('base64')];
    blobs.set(blob, { plain, context });
    return answer(200, { Plaintext: plain, CiphertextBlob: blob, KeyId: 'key' });
  }
  const known = blobs.get(input.CiphertextBlob ?? '');
  if (known?.context !== context) return answer(400, { __type: 'InvalidCiphertextException' });
  return answer(200, { Plaintext: known.plain });
});
await once(kms.listen(0, '127.0.0.1'), 'listening');
after(() => kms.close());

const inKms = (keyId: string): DataKeys =>
  kmsDataKeys(
    jsonService({
      service: 'keys',
      region: 'eu-central-1',
      credentials: () => ({ accessKeyId: 'AK', secretAccessKey: 'SK' }),
      endpoint: `http://127.0.0.1:${(kms.address() as AddressInfo).port}`,
    }),
    keyId,
  );

const keepers: readonly (readonly [string, DataKeys])[] = [
  ['a key file', localDataKeys(randomBytes(32))],
  ['KMS', inKms('key')],
];

for (const [name, keys] of keepers)
  describe(`secrets encrypted by ${name}`, () => {
    const context = { tenant: 'a', source: 'github' };

    test('a secret decrypts only in the context it was encrypted for', async () => {
      const sealed = await sealSecret(keys, context, 'ghp_ü');

      assert.equal(await openSecret(keys, context, sealed), 'ghp_ü');
      for (const other of [{ ...context, tenant: 'b' }, { ...context, source: 'notion' }, {}])
        await assert.rejects(openSecret(keys, other, sealed), { code: 'Unavailable', message: /give it again/ });
    });

    test('each secret is encrypted by its own data key', async () => {
      const [one, two] = [await sealSecret(keys, context, 'same'), await sealSecret(keys, context, 'same')];

      assert.notEqual(one.data, two.data);
      assert.notEqual(one.key, two.key);
      await assert.rejects(openSecret(keys, context, { ...one, key: two.key }));
      await assert.rejects(openSecret(keys, context, { ...one, tag: one.tag.slice(0, 4) }));
    });
  });

test('a KMS key that does not exist is Unavailable', async () => {
  await assert.rejects(sealSecret(inKms('other'), {}, 'x'), { code: 'Unavailable', message: /NotFoundException/ });
});

test('the key file of a data directory is created once, readable by its owner only', async (t) => {
  const folder = await temporaryDirectory(t);

  assert.deepEqual(secretsKey(folder), secretsKey(folder));
  assert.equal(statSync(`${folder}/secrets-key`).mode & 0o777, 0o600);
});

describe('the secrets of a source', () => {
  const owner = { tenant: 'a', source: 'github', url: 'https://api.example' };
  const credentials: Credentials = { secret: 'ghp_0123456789', headers: { 'x-team': 'pictures-7' } };

  test('X.17 a source’s secrets are encrypted, and readable only for their tenant, source and URL', async () => {
    const table = memoryTable();
    const secrets = createSourceSecrets(table, localDataKeys(randomBytes(32)));
    await secrets.keep(owner, credentials);

    assert.deepEqual(await secrets.find(owner), credentials);
    assert.doesNotMatch(JSON.stringify(await table.get(sourceSecretKey('a', 'github'))), /ghp_|pictures/);
    assert.equal(await secrets.find({ ...owner, tenant: 'b' }), undefined);
    await assert.rejects(secrets.find({ ...owner, url: 'https://evil.example' }), { code: 'Unavailable' });
  });

  test('secrets copied to another tenant by hand do not decrypt', async () => {
    const table = memoryTable();
    const secrets = createSourceSecrets(table, localDataKeys(randomBytes(32)));
    await secrets.keep(owner, credentials);
    const item = await table.get(sourceSecretKey('a', 'github'));
    await table.write([{ put: sourceSecretKey('b', 'github'), body: item?.body ?? {} }]);

    await assert.rejects(secrets.find({ ...owner, tenant: 'b' }), { code: 'Unavailable' });
  });

  test('deleted secrets are not found, even right after they were read', async () => {
    const secrets = createSourceSecrets(memoryTable(), localDataKeys(randomBytes(32)));
    await secrets.keep(owner, credentials);
    await secrets.find(owner);
    await secrets.drop(owner);

    assert.equal(await secrets.find(owner), undefined);
  });

  test('secrets become headers or a query parameter, and are redacted from an upstream’s messages', () => {
    const sent = sendCredentials(credentials);
    assert.deepEqual(sent.headers, { 'x-team': 'pictures-7', authorization: 'Bearer ghp_0123456789' });
    assert.equal(
      hideSecrets('you sent {"a":"Bearer ghp_0123456789","b":"ghp_0123456789","c":"pictures-7"}', sent),
      'you sent {"a":"[secret]","b":"[secret]","c":"[secret]"}',
    );
    const basic = sendCredentials({ secret: { type: 'basic', username: 'ann', password: 'p:w' } });
    assert.deepEqual(basic.headers, { authorization: 'Basic YW5uOnA6dw==' });
    const long = sendCredentials({ secret: { type: 'basic', username: 'ann', password: 'correct horse' } });
    assert.equal(hideSecrets('ann, your password is correct horse', long), 'ann, your password is [secret]');
    assert.deepEqual(sendCredentials({ secret: { type: 'query', name: 'key', value: 'k' } }).query, { key: 'k' });
  });

  test('secrets cannot be connection headers or contain a line break', () => {
    for (const wrong of [
      { headers: { Host: 'x' } },
      { headers: { 'Content-Length': '1' } },
      { headers: { a: 'b\r\nc: d' } },
      { secret: 'a\nb' },
      { secret: '' },
      { secret: { type: 'header', name: 'a b', value: 'c' } },
    ])
      assert.ok(!Credentials.safeParse(wrong).success, JSON.stringify(wrong));
  });
});
