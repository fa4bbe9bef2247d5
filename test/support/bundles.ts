import { mkdtemp, rm } from 'node:fs/promises';
import { Module } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bundle, bundleFunction } from '../../infra/build/bundle.ts';
import { buildLayer } from '../../layers/onnx/build.ts';

/** Limits on a function's code, of which 1.1 MB are word vectors for search, and on what a cold start loads of it. */
export const MAX_CODE_BYTES = 2_750_000;
export const MAX_START_BYTES = 550_000;

export interface Built extends Bundle {
  readonly folder: string;
}

export interface Bundles<Name extends string> {
  readonly built: Readonly<Record<Name, Built>>;
  remove(): Promise<void>;
}

/** Bundles functions as they are deployed, away from any node_modules, and makes the layer's packages resolvable. */
export const bundleAll = async <Name extends string>(
  entries: Readonly<Record<Name, string>>,
  { tools, layer = true }: { readonly tools?: string; readonly layer?: boolean } = {},
): Promise<Bundles<Name>> => {
  const directory = await mkdtemp(join(tmpdir(), 'assay-'));
  const names = Object.keys(entries) as Name[];
  const bundling = names.map(async (name): Promise<[Name, Built]> => {
    const folder = join(directory, name);
    const bundle = await bundleFunction({
      entry: entries[name],
      outdir: folder,
      ...(tools === undefined ? {} : { tools }),
    });
    return [name, { ...bundle, folder }];
  });
  const built = Object.fromEntries(await Promise.all(bundling)) as Record<Name, Built>;
  if (layer) await useLayer(join(directory, 'layer'));
  return { built, remove: () => rm(directory, { recursive: true }) };
};

/** Lambda lists the layers' folders in NODE_PATH, which Node reads only at process start. */
const useLayer = async (layer: string): Promise<void> => {
  await buildLayer(layer);
  process.env.NODE_PATH = join(layer, 'nodejs/node_modules');
  (Module as unknown as { _initPaths(): void })._initPaths();
};
