import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileBlobs } from '../../shared/adapters/files/blobs.ts';
import { blobsContract } from '../contract/blobs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

blobsContract('blobs in files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-'));
  return { blobs: fileBlobs(folder), dispose: () => rm(folder, { recursive: true, force: true }) };
});

test('a blob is stored as a file with its key’s name, and no temporary file is left', async (t) => {
  const folder = await temporaryDirectory(t);

  await fileBlobs(folder).put('models/niqe/a.onnx', new TextEncoder().encode('graph'));

  assert.deepEqual(await readdir(join(folder, 'models/niqe')), ['a.onnx']);
  assert.equal(await readFile(join(folder, 'models/niqe/a.onnx'), 'utf8'), 'graph');
});

test('an unfinished file of a crashed process is not listed', async (t) => {
  const folder = await temporaryDirectory(t);
  await writeFile(join(folder, '.unfinished-1'), 'half');

  assert.deepEqual(await fileBlobs(folder).list(''), []);
});

test('storing a blob under a key that is already a folder is a Conflict', async (t) => {
  const blobs = fileBlobs(await temporaryDirectory(t));
  await blobs.put('a/b', new Uint8Array([1]));

  await assert.rejects(blobs.put('a', new Uint8Array([2])), { code: 'Conflict' });
  await assert.rejects(blobs.put('a/b/c', new Uint8Array([2])), { code: 'Conflict' });
  assert.equal(await blobs.get('a'), undefined);
});

test('a key with a part too long for a file name is refused', async (t) => {
  const blobs = fileBlobs(await temporaryDirectory(t));

  await assert.rejects(blobs.put('x'.repeat(300), new Uint8Array([1])), { code: 'InvalidInput' });
});
