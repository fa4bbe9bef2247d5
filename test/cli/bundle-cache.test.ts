import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { CACHE, currentBundle, markOf } from '../../infra/build/bundle-cache.js';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A clone with one source, bundled as it is now. */
const bundledClone = async (t: TestContext): Promise<string> => {
  const root = await temporaryDirectory(t);
  await mkdir(join(root, CACHE), { recursive: true });
  await writeFile(join(root, 'main.ts'), 'one');
  const sources = { 'main.ts': markOf(root, 'main.ts') };
  await writeFile(join(root, CACHE, 'current.json'), JSON.stringify({ folder: 'made', sources }));
  return root;
};

describe('bundled or source command', () => {
  test('X.18 the bundled command runs while no source has changed', async (t) => {
    const root = await bundledClone(t);

    assert.equal(currentBundle(root), join(root, CACHE, 'made/functions/cli/index.mjs'));
  });

  test('X.18 the sources run once one has changed or is deleted', async (t) => {
    const root = await bundledClone(t);
    await writeFile(join(root, 'main.ts'), 'another');
    assert.equal(currentBundle(root), undefined);

    await rm(join(root, 'main.ts'));
    assert.equal(currentBundle(root), undefined);
  });

  test('X.18 the sources run where nothing was bundled or the cache cannot be read', async (t) => {
    const root = await bundledClone(t);
    await writeFile(join(root, CACHE, 'current.json'), '{"folder": ');
    assert.equal(currentBundle(root), undefined);

    assert.equal(currentBundle(await temporaryDirectory(t)), undefined);
  });
});
