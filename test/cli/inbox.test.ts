import assert from 'node:assert/strict';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { watchInbox } from '../../functions/cli/inbox.ts';
import type { LocalUploads } from '../../functions/cli/local-uploads.ts';
import { uploadKey } from '../../shared/kernel/item-keys.ts';
import { put } from '../../shared/kernel/stored.ts';
import { UploadItem } from '../../shared/uploads/upload.ts';
import { testAssay } from '../support/assay.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Servers on one folder and one table; each scores at once what it can store. */
const watching = async (t: TestContext) => {
  const folder = await temporaryDirectory(t);
  const beats: (() => void)[] = [];
  const every = (_: number, work: () => void) => {
    beats.push(work);
    return () => {};
  };
  const { assay, log } = await testAssay({ timers: { after: () => () => {}, every } });
  const disk = { isFull: false };
  const setScored = async (key: string): Promise<void> => {
    const scored = { key, key_id: 'admin', status: 'scored', created_at: '2026-11-05T12:00:00Z' } as const;
    await assay.table.write([put(uploadKey('default', key), UploadItem, scored)]);
  };
  const held = {
    isHolding: false,
    stored: [] as string[],
    score: async (count: number) => void (await Promise.all(held.stored.splice(0, count).map(setScored))),
  };
  const uploads: LocalUploads = {
    async store(path) {
      if (disk.isFull) throw new Error('no space left on device');
      const key = path.split('/').at(-1) ?? '';
      if (held.isHolding) held.stored.push(key);
      else await setScored(key);
    },
    takeOver: async () => {},
    idle: async () => {},
    close: async () => {},
  };
  const watch = async (): Promise<void> => {
    const inbox = await watchInbox(folder, assay, uploads);
    t.after(() => inbox.close());
  };
  const file = join(folder, 'cat.png');
  const errors = () => log.lines.filter(({ level }) => level === 'error');
  const scores = () => readFile(`${file}.scores.json`, 'utf8').catch(() => '');
  return { folder, file, disk, held, watch, errors, scores, beat: () => beats.map((work) => work()) };
};

const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  for (let looks = 0; !(await isSo()); looks++) {
    assert.ok(looks < 500, 'it never came so far');
    await wait(20);
  }
};

describe('the inbox', () => {
  test('X.04 a picture that could not be stored on a full disk is retried later', async (t) => {
    const { file, disk, watch, errors, scores, beat } = await watching(t);
    disk.isFull = true;
    await writeFile(file, 'a picture');
    await watch();
    await until(() => errors().length > 0);

    disk.isFull = false;
    beat();
    await until(async () => /"status": "scored"/.test(await scores()));
  });

  test('X.04 half-written scores are rewritten after a restart', async (t) => {
    const { file, watch, scores } = await watching(t);
    await writeFile(file, 'a picture');
    await writeFile(`${file}.scores.json`, '{\n  "status": "sco');

    await watch();
    await until(async () => /"status": "scored"/.test(await scores()));
  });

  test('X.04 a picture replaced while no server ran is scored', async (t) => {
    const { file, watch, scores } = await watching(t);
    await writeFile(`${file}.scores.json`, '{"status": "scored", "key": "another"}');
    const later = Date.now() / 1000 + 60;
    await writeFile(file, 'a picture');
    await utimes(file, later, later);

    await watch();
    await until(async () => /"key": "inbox-/.test(await scores()));
  });

  test('X.07 pictures of a full inbox are read a few at a time, and each has its scores as soon as it is done', async (t) => {
    const { folder, watch, held } = await watching(t);
    const files = Array.from({ length: 40 }, (_, n) => join(folder, `cat-${n}.png`));
    await Promise.all(files.map((file) => writeFile(file, `picture ${file}`)));
    held.isHolding = true;
    await watch();
    await until(() => held.stored.length >= 8);
    await wait(500);
    assert.equal(held.stored.length, 8);

    const count = async () => (await readdir(folder)).filter((name) => name.endsWith('.scores.json')).length;
    await held.score(1);
    await until(async () => (await count()) === 1);
    held.isHolding = false;
    await held.score(7);
    await until(async () => (await count()) === files.length);
  });

  test('X.05 two servers on one inbox do not fail on files that the other writes', async (t) => {
    const { folder, watch, errors } = await watching(t);
    await Promise.all([watch(), watch(), watch()]);
    const files = Array.from({ length: 20 }, (_, n) => join(folder, `cat-${n}.png`));
    await Promise.all(files.map((file) => writeFile(file, `picture ${file}`)));
    await until(async () => {
      const found = await Promise.all(files.map((file) => readFile(`${file}.scores.json`).catch(() => undefined)));
      return found.every(Boolean);
    });
    // Whoever was second is done too.
    await wait(500);

    assert.deepEqual(errors(), []);
  });
});
