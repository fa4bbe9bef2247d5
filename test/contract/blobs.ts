import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Blobs } from '../../shared/kernel/ports.ts';
import { tries } from '../support/sampling.ts';

export interface TestBlobs {
  readonly blobs: Blobs;
  dispose(): Promise<void>;
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && new TextDecoder().decode(bytes);

/** What every store of blobs promises. */
export function blobsContract(name: string, make: () => Promise<TestBlobs>): void {
  describe(name, () => {
    let made: TestBlobs | undefined;
    before(async () => {
      made = await make();
    });
    after(() => made?.dispose());
    const blobs = (): Blobs => made?.blobs ?? assert.fail('the store has not been made');

    test('a blob that was never put is absent', async () => {
      assert.equal(await blobs().get('never/put.png'), undefined);
    });

    test('a blob is read back byte for byte', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 4096 }), async (bytes) => {
          await blobs().put('bytes/any', bytes, 'application/octet-stream');

          const got = await blobs().get('bytes/any');

          assert.deepEqual(Buffer.from(got ?? []), Buffer.from(bytes));
        }),
        { numRuns: 20 },
      );
    });

    test('a blob of a megabyte is read back whole', async () => {
      const bytes = Uint8Array.from({ length: 1_048_577 }, (_, n) => (n * 31) % 251);

      await blobs().put('bytes/large', bytes);

      assert.ok(Buffer.from((await blobs().get('bytes/large')) ?? []).equals(bytes));
    });

    test('putting a blob again replaces it', async () => {
      await blobs().put('again', bytesOf('the first, which is longer'));
      await blobs().put('again', bytesOf('the second'));

      assert.equal(textOf(await blobs().get('again')), 'the second');
    });

    test('a removed blob is absent, and removing it again is no error', async () => {
      await blobs().put('gone', bytesOf('soon'));

      await blobs().remove('gone');
      await blobs().remove('gone');

      assert.equal(await blobs().get('gone'), undefined);
      assert.deepEqual(await blobs().list('gone'), []);
    });

    test('a list of blobs has the keys with the prefix, in byte order', async () => {
      const keys = ['l/a/1', 'l/a/10', 'l/a/2', 'l/b', 'l/\u{10000}', 'l/\uff21', 'l2/a'];
      for (const key of keys) await blobs().put(key, bytesOf(key));

      assert.deepEqual(await blobs().list('l/'), ['l/a/1', 'l/a/10', 'l/a/2', 'l/b', 'l/\uff21', 'l/\u{10000}']);
      assert.deepEqual(await blobs().list('l/a/1'), ['l/a/1', 'l/a/10']);
      assert.deepEqual(await blobs().list('l/nothing'), []);
    });

    test('a list of blobs is complete, however long', async () => {
      const keys = Array.from({ length: tries(110, 1100) }, (_, n) => `many/${String(n).padStart(4, '0')}`);
      await Promise.all(keys.map((key) => blobs().put(key, bytesOf('x'))));

      assert.deepEqual(await blobs().list('many/'), keys);
    });

    test('blob keys may be any file name, with spaces, symbols and other scripts', async () => {
      const keys = ['photos/My Photo (1).jpg', 'photos/图像 质量.png', 'photos/a+b%20c&d=e.png', "photos/it's~#?.png"];
      for (const key of keys) await blobs().put(key, bytesOf(key));

      for (const key of keys) assert.equal(textOf(await blobs().get(key)), key);
      assert.deepEqual(new Set(await blobs().list('photos/')), new Set(keys));
    });

    test('changing a buffer that was put or got does not change the stored blob', async () => {
      const given = bytesOf('as it was');
      await blobs().put('kept', given);
      given.fill(0);
      (await blobs().get('kept'))?.fill(1);

      assert.equal(textOf(await blobs().get('kept')), 'as it was');
    });

    test('of concurrent writes of one blob, one is stored whole', async () => {
      const texts = Array.from({ length: 8 }, (_, n) => String(n).repeat(10_000 + n));

      await Promise.all(texts.map((text) => blobs().put('race', bytesOf(text))));

      assert.ok(texts.includes(textOf(await blobs().get('race')) ?? ''));
      assert.deepEqual(await blobs().list('race'), ['race']);
    });

    const refused = ['', '/a', 'a/', 'a//b', '../a', 'a/../b', 'a/.', 'a\\b', 'a\0b', '\ud83d', 'x'.repeat(1025)];
    for (const key of refused)
      test(`the blob key ${JSON.stringify(key.slice(0, 20))} is refused`, async () => {
        const refusal = { code: 'InvalidInput', message: /^the key / };

        await assert.rejects(blobs().put(key, bytesOf('x')), refusal);
        await assert.rejects(blobs().get(key), refusal);
        await assert.rejects(blobs().remove(key), refusal);
      });
  });
}
