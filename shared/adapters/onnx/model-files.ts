import { createHash } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ModelFile } from '../../iqa/model-record.ts';
import type { ModelFiles } from '../../iqa/models.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Blobs } from '../../kernel/ports.ts';

// A blob is one buffer in memory, so a large file is stored in parts.
const PART_BYTES = 64 * 2 ** 20;

/** Model files in the blob store, placed in a directory of this machine when they are needed. */
export const blobModelFiles = (blobs: Blobs, directory: string, partBytes = PART_BYTES): ModelFiles => ({
  async describe(path) {
    if (!(await stat(path).catch(() => undefined))?.isFile()) return [];
    const paths = [path, ...(await externalData(path))];
    return Promise.all(paths.map(async (each) => ({ path: each, name: basename(each), ...(await measure(each)) })));
  },
  readSidecar: (path) => readFile(path.replace(/\.onnx$/, '.json'), 'utf8').catch(() => undefined),
  async store(path, key) {
    let part = 0;
    for await (const chunk of partsOf(path, partBytes)) {
      await blobs.put(partKey(key, part++), chunk, 'application/octet-stream');
    }
  },
  async place(files) {
    const [first] = files;
    if (!first) throw new TypeError('a model has at least one file');
    const folder = join(directory, dirname(first.key));
    await mkdir(folder, { recursive: true });
    for (const file of files) await placeOne(blobs, folder, file);
    return join(folder, first.name);
  },
});

const partKey = (key: string, part: number): string => `${key}.part${String(part).padStart(5, '0')}`;

/**
 * Files beside a model that it names as the location of tensors. A name alone is not enough: exporters also write down
 * the script that ran.
 */
const externalData = async (path: string): Promise<readonly string[]> => {
  const folder = dirname(path);
  const others = (await readdir(folder)).filter((name) => name !== basename(path));
  const locations = others.map((name) => [name, locationEntry(name)] as const);
  const named = new Set<string>();
  let tail = Buffer.alloc(0);
  for await (const chunk of fileStream(path)) {
    const text = Buffer.concat([tail, chunk as Buffer]);
    for (const [name, entry] of locations) if (text.includes(entry)) named.add(name);
    tail = text.subarray(-1024);
  }
  const files = await Promise.all([...named].map(async (name) => [name, await stat(join(folder, name))] as const));
  return files.filter(([, found]) => found.isFile()).map(([name]) => join(folder, name));
};

/** The entry of a tensor's `external_data` as ONNX encodes it: the key `location` (field 1), then the name (field 2). */
const locationEntry = (name: string): Buffer => {
  const bytes = Buffer.from(name);
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7];
  return Buffer.concat([Buffer.from('\x0a\x08location\x12', 'latin1'), Buffer.from(length), bytes]);
};

const measure = async (path: string): Promise<{ readonly bytes: number; readonly sha256: string }> => {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of fileStream(path)) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { bytes, sha256: hash.digest('hex') };
};

async function* partsOf(path: string, partBytes: number): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r');
  try {
    for (let part = 0; ; part++) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(partBytes), 0, partBytes, part * partBytes);
      if (bytesRead > 0 || part === 0) yield buffer.subarray(0, bytesRead);
      if (bytesRead < partBytes) return;
    }
  } finally {
    await file.close();
  }
}

type Placed = ModelFile & { readonly key: string };

const placeOne = async (blobs: Blobs, folder: string, file: Placed): Promise<void> => {
  const target = join(folder, file.name);
  const there = await stat(target).catch(() => undefined);
  // The folder carries the model's digest, so a file of the right size is the right file.
  if (there?.size === file.bytes) return;
  const temporary = `${target}.${process.pid}`;
  const hash = createHash('sha256');
  const out = await open(temporary, 'w');
  let written = 0;
  try {
    for (let part = 0; written < file.bytes; part++) {
      const bytes = await blobs.get(partKey(file.key, part));
      if (!bytes) break;
      hash.update(bytes);
      await out.writeFile(bytes);
      written += bytes.length;
    }
  } finally {
    await out.close();
  }
  if (hash.digest('hex') !== file.sha256) {
    await rm(temporary, { force: true });
    throw new Fault('Unavailable', `${file.name} in the model store is not the file that was added; add it again`, {
      file: file.name,
      sha256: file.sha256,
    });
  }
  await rename(temporary, target);
};

const fileStream = (path: string): ReadStream => createReadStream(path, { highWaterMark: 2 ** 20 });
