import { watch } from 'node:fs';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Assay } from '../../shared/assay.ts';
import { sha256 } from '../../shared/kernel/canonical-json.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { imageBlobKey, uploadKey } from '../../shared/kernel/item-keys.ts';
import { isObject } from '../../shared/kernel/json.ts';
import { HEARTBEAT_MS } from '../../shared/kernel/lease.ts';
import { readUpload, viewUpload } from '../../shared/uploads/upload.ts';
import type { LocalUploads } from './local-uploads.ts';

const PICTURE = /\.(jpe?g|png|webp|avif|tiff?|gif|bmp|p[gp]m)$/i;
const SETTLE_MS = 300;
/** As many pictures are read at a time as are scored at a time, since the folder may have thousands. */
const MOST_AT_ONCE = 8;

/** Scores pictures that are put into a folder by hand; the scores appear beside each as `<picture>.scores.json`. */
export const watchInbox = async (folder: string, assay: Assay, uploads: LocalUploads): Promise<{ close(): void }> => {
  await mkdir(folder, { recursive: true });
  const [waiting, underway] = [new Set<string>(), new Set<string>()];
  let isClosed = false;

  const score = async (file: string): Promise<void> => {
    const found = await untilWhole(file);
    if (!found) return;
    const bytes = new Uint8Array(await readFile(file));
    const key = keyForFile(relative(folder, file), bytes);
    await uploads.store(imageBlobKey('default', key), bytes);
    const scores = await untilOver(assay, key, () => isClosed);
    if (!scores) return;
    await writeWhole(`${file}.scores.json`, JSON.stringify(scores, undefined, 2), assay.random);
    // Another picture with the same name arrived in the meantime.
    if ((await lookAt(file))?.changed !== found.changed) waiting.add(file);
  };
  const next = (): void => {
    for (const file of waiting) {
      if (isClosed || underway.size >= MOST_AT_ONCE) return;
      waiting.delete(file);
      underway.add(file);
      void score(file)
        .catch((error: unknown) => assay.log.error('inbox picture not scored', { file, error: messageOf(error) }))
        .finally(() => {
          underway.delete(file);
          next();
        });
    }
  };
  const take = (file: string): void => {
    if (!PICTURE.test(file) || underway.has(file)) return;
    waiting.add(file);
    next();
  };

  for (const name of await readdir(folder, { recursive: true })) {
    if (!(await hasScores(join(folder, name)))) take(join(folder, name));
  }
  /**
   * Retries pictures that could not be stored, for example on a full disk, and finds those that the system did not
   * report.
   */
  const look = async (): Promise<void> => {
    const names = new Set(await readdir(folder, { recursive: true }));
    for (const name of names) if (!names.has(`${name}.scores.json`)) take(join(folder, name));
  };
  const stop = assay.timers.every(HEARTBEAT_MS, () => {
    look().catch((error: unknown) => assay.log.warn('inbox not looked at', { folder, error: messageOf(error) }));
  });
  const watching = watch(folder, { recursive: true }, (_, name) => {
    if (name !== null) take(join(folder, name));
  });
  return {
    close() {
      isClosed = true;
      stop();
      watching.close();
    },
  };
};

/** Writes a temporary file and renames it: two servers may watch one folder, and either may be killed. */
const writeWhole = async (file: string, text: string, random: (bytes: number) => Uint8Array): Promise<void> => {
  const part = `${file}.${Buffer.from(random(6)).toString('hex')}.part`;
  await writeFile(part, text);
  await rename(part, file);
};

/**
 * Whether a picture has its scores: not those of an earlier picture with this name, and not the pending or half-written
 * ones that earlier releases wrote.
 */
const hasScores = async (file: string): Promise<boolean> => {
  const text = await readFile(`${file}.scores.json`, 'utf8').catch(() => undefined);
  const scores = text === undefined ? undefined : parseJson(text);
  if (!isObject(scores) || scores.status === 'pending') return false;
  const [picture, written] = [await lookAt(file), await lookAt(`${file}.scores.json`)];
  return !picture || !written || picture.changed <= written.changed;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The picture's final result, whichever process scores it; undefined when the server stops first. */
const untilOver = async ({ table }: Assay, key: string, isClosed: () => boolean) => {
  while (!isClosed()) {
    const item = await table.get(uploadKey('default', key));
    const upload = item && viewUpload(readUpload(item));
    if (upload && upload.status !== 'pending') return upload;
    await wait(SETTLE_MS, undefined, { ref: false });
  }
  return undefined;
};

const lookAt = async (file: string): Promise<{ readonly size: number; readonly changed: number } | undefined> => {
  const there = await stat(file).catch(() => undefined);
  return there?.isFile() ? { size: there.size, changed: there.mtimeMs } : undefined;
};

/** Waits until a file has stopped growing, since a copy is noticed before it is complete. */
const untilWhole = async (file: string) => {
  for (let before = -1; ; ) {
    const there = await lookAt(file);
    if (!there || (there.size === before && there.size > 0)) return there;
    before = there.size;
    await wait(SETTLE_MS);
  }
};

// The key includes the content, so another picture with the same name has another key.
const keyForFile = (path: string, bytes: Uint8Array): string => {
  const name = path
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(-90);
  return `inbox-${sha256(bytes).slice(0, 12)}-${name}`;
};
