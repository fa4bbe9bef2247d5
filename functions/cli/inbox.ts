import { watch } from 'node:fs';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Assay } from '../../shared/assay.ts';
import { sha256 } from '../../shared/kernel/canonical-json.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { imageBlobKey, uploadKey } from '../../shared/kernel/item-keys.ts';

import { uploadOf, viewUpload } from '../../shared/uploads/upload.ts';
import type { LocalUploads } from './local-uploads.ts';

const PICTURE = /\.(jpe?g|png|webp|avif|tiff?|gif|bmp|p[gp]m)$/i;
const SETTLE_MS = 300;

/** Scores pictures that are put into a folder by hand; the scores appear beside each as `<picture>.scores.json`. */
export const watchInbox = async (folder: string, assay: Assay, uploads: LocalUploads): Promise<{ close(): void }> => {
  await mkdir(folder, { recursive: true });
  const underway = new Set<string>();
  let isClosed = false;

  const take = async (file: string): Promise<void> => {
    if (!PICTURE.test(file) || underway.has(file)) return;
    underway.add(file);
    try {
      if (!(await isWhole(file))) return;
      const bytes = new Uint8Array(await readFile(file));
      const key = keyForFile(relative(folder, file), bytes);
      await uploads.store(imageBlobKey('default', key), bytes);
      await uploads.idle();
      const scores = await untilOver(assay, key, () => isClosed);
      if (scores) await writeWhole(`${file}.scores.json`, JSON.stringify(scores, undefined, 2));
    } catch (error) {
      assay.log.error('inbox picture not scored', { file, error: messageOf(error) });
    } finally {
      underway.delete(file);
    }
  };

  for (const name of await readdir(folder, { recursive: true })) {
    if (!(await hasScores(join(folder, name)))) void take(join(folder, name));
  }
  const watching = watch(folder, { recursive: true }, (_, name) => {
    if (name !== null) void take(join(folder, name));
  });
  return {
    close() {
      isClosed = true;
      watching.close();
    },
  };
};

/** Renamed into its place: half a file would be taken for the scores after a crash. */
const writeWhole = async (file: string, text: string): Promise<void> => {
  await writeFile(`${file}.part`, text);
  await rename(`${file}.part`, file);
};

/** Whether a picture has its scores; releases before wrote them down while they were pending too. */
const hasScores = async (file: string): Promise<boolean> => {
  const text = await readFile(`${file}.scores.json`, 'utf8').catch(() => undefined);
  return text !== undefined && !/"status": "pending"/.test(text);
};

/** What became of a picture, by whichever process scores it; undefined when the server stops before. */
const untilOver = async ({ table }: Assay, key: string, isClosed: () => boolean) => {
  while (!isClosed()) {
    const item = await table.get(uploadKey('default', key));
    const upload = item && viewUpload(uploadOf(item));
    if (upload && upload.status !== 'pending') return upload;
    await wait(SETTLE_MS, undefined, { ref: false });
  }
  return undefined;
};

/** Whether a file has stopped growing: a copy into the folder is seen before it is done. */
const isWhole = async (file: string): Promise<boolean> => {
  for (let before = -1; ; ) {
    const there = await stat(file).catch(() => undefined);
    if (!there?.isFile()) return false;
    if (there.size === before && there.size > 0) return true;
    before = there.size;
    await wait(SETTLE_MS);
  }
};

// The content is part of the key: the same name with another picture is another picture.
const keyForFile = (path: string, bytes: Uint8Array): string => {
  const name = path
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(-90);
  return `inbox-${sha256(bytes).slice(0, 12)}-${name}`;
};
