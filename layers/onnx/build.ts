import { cp, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Less than half of Lambda's limit for a function with its layers, unzipped; the function and its data need the rest. */
export const MAX_LAYER_BYTES = 100_000_000;

const here = fileURLToPath(new URL('.', import.meta.url));
const places = [join(here, 'node_modules'), join(here, '../../node_modules')];

export interface Layer {
  readonly bytes: number;
  readonly packages: readonly string[];
}

interface Options {
  /** The packages to copy, with their dependencies. */
  readonly packages?: readonly string[];
  /** Folders of installed packages, searched in this order. */
  readonly from?: readonly string[];
}

/** Copies ONNX Runtime and sharp for Linux on x86_64, with their dependencies at run time, into `nodejs/node_modules`. */
export const buildLayer = async (
  outdir: string,
  { packages = ['onnxruntime-node', 'sharp', ...platform], from = places }: Options = {},
): Promise<Layer> => {
  const target = join(outdir, 'nodejs/node_modules');
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const copied = new Set<string>();
  const waiting = [...packages];
  for (const name of waiting) {
    if (copied.has(name)) continue;
    refuseSdk(name);
    copied.add(name);
    const folder = await findPackage(name, from);
    await cp(folder, join(target, name), { recursive: true, filter: (path) => isNeeded(name, relative(folder, path)) });
    waiting.push(...(await needsOf(name, folder)));
  }
  const bytes = await sizeOf(target);
  if (bytes > MAX_LAYER_BYTES)
    throw new Error(`the layer would be ${inMb(bytes)} unzipped, past ${inMb(MAX_LAYER_BYTES)}; leave more out`);
  return { bytes, packages: [...copied].sort() };
};

const platform = ['@img/sharp-linux-x64', '@img/sharp-libvips-linux-x64'];

/** A bundled SDK starts faster, and a copy in the layer would go unnoticed. */
const refuseSdk = (name: string): void => {
  if (/^@(aws-sdk|smithy)\//.test(name)) throw new Error(`${name} belongs into the bundles, not into the layer`);
};

const findPackage = async (name: string, from: readonly string[]): Promise<string> => {
  for (const place of from) {
    const folder = join(place, name);
    if (await stat(join(folder, 'package.json')).catch(() => undefined)) return folder;
  }
  throw new Error(
    `${name} is not installed; on another system than Linux on x86_64 run: npm install --prefix layers/onnx --os=linux --cpu=x64 --libc=glibc --ignore-scripts`,
  );
};

/** Needed only by install scripts, which are not run. */
const installOnly = new Set(['adm-zip', 'global-agent']);

const needsOf = async (name: string, folder: string): Promise<readonly string[]> => {
  if (platform.includes(name)) return [];
  const { dependencies = {} } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  return Object.keys(dependencies).filter((each) => !installOnly.has(each));
};

const unwanted =
  /(^|\/)(node_modules|src|script|install|docs?|test|README\.md|CHANGELOG\.md)(\/|$)|\.(map|d\.[cm]?ts)$/;

const isNeeded = (name: string, inside: string): boolean => {
  const path = inside.split(sep).join('/');
  if (unwanted.test(path)) return false;
  if (name === 'onnxruntime-node' && path.startsWith('bin/napi-v6/')) return isOnWay(path, 'bin/napi-v6/linux/x64');
  // The second half of the package is for browsers and bundlers.
  if (name === 'onnxruntime-common') return !/^(dist\/(esm|ort)|lib)(\/|$)/.test(path);
  return name === 'onnxruntime-node' ? !path.startsWith('lib') : true;
};

/** Whether a path is inside the wanted one, or leads there. */
const isOnWay = (path: string, wanted: string): boolean =>
  `${path}/`.startsWith(`${wanted}/`) || `${wanted}/`.startsWith(`${path}/`);

const sizeOf = async (folder: string): Promise<number> => {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((each) => each.isFile());
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
};

const inMb = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [outdir = 'dist/layer-onnx'] = process.argv.slice(2);
  const { bytes, packages } = await buildLayer(outdir);
  console.error(`layers/onnx: ${inMb(bytes)} unzipped (${packages.join(', ')})`);
}
