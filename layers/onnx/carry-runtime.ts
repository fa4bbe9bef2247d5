import { cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';

const load = createRequire(import.meta.url);

/** An operating system and a processor, as Node names them: `linux/x64`. */
export const thisPlatform = (): string => `${process.platform}/${process.arch}`;

/**
 * Writes ONNX Runtime for one platform as `onnxruntime-node` into a folder of packages, without its install script,
 * which downloads CUDA and fails where only the npm registry is reached, and without the libraries of other platforms.
 * On those, what this writes loads the `onnxruntime-node` that the user has installed, or says how to install it.
 */
export const carryRuntime = async (nodeModules: string, platform = thisPlatform()): Promise<void> => {
  const node = dirname(load.resolve('onnxruntime-node/package.json'));
  const common = join(dirname(load.resolve('onnxruntime-common')), '../..');
  const libraries = join('bin/napi-v6', platform);
  if (!(await stat(join(node, libraries)).catch(() => undefined)))
    throw new Error(`onnxruntime-node has no libraries for ${platform}`);
  const target = join(nodeModules, 'onnxruntime-node');
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const isProgram = (path: string): boolean => extname(path) === '' || /\.(js|json)$/.test(path);
  await cp(join(node, 'dist'), join(target, 'dist'), { recursive: true, filter: isProgram });
  await cp(join(node, libraries), join(target, libraries), { recursive: true, filter: isLoaded });
  const inside = join(target, 'node_modules/onnxruntime-common');
  await cp(join(common, 'dist/cjs'), join(inside, 'dist/cjs'), { recursive: true, filter: isProgram });
  const { version, license } = await readPackage(node);
  await writeFile(join(inside, 'package.json'), text({ ...(await describe(common)), main: 'dist/cjs/index.js' }));
  await writeFile(join(target, 'package.json'), text({ ...(await describe(node)), main: 'index.cjs' }));
  await writeFile(join(target, 'index.cjs'), entry(platform, version));
  await writeFile(
    join(target, 'README.md'),
    `onnxruntime-node ${version} (${license}, Microsoft) for ${platform}, without its install script and the libraries of other platforms.\n`,
  );
};

/** The package has the macOS library twice; the binding loads the one with the shorter name. */
const isLoaded = (path: string): boolean => !/libonnxruntime\.\d+\.\d+\.\d+\.dylib$/.test(path);

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

const readPackage = async (folder: string): Promise<Package> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Package;

const describe = async (folder: string): Promise<Package> => {
  const { name, version, license } = await readPackage(folder);
  return { name, version, license };
};

const text = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** CommonJS that lists every export, so that ES modules can import them by name. */
const entry = (platform: string, version: string): string => `'use strict';
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const here = \`\${process.platform}/\${process.arch}\`;

const find = () => {
  if (existsSync(join(__dirname, 'bin/napi-v6', here))) return './dist/index.js';
  try {
    // Searched from outside of the installed assay, because this copy would otherwise find itself.
    return require.resolve('onnxruntime-node', { paths: [join(__dirname, '../../../..')] });
  } catch {
    throw new Error(\`assay carries ONNX Runtime for ${platform}, and this is \${here}; run: npm install onnxruntime-node@${version}\`);
  }
};

const runtime = require(find());
${Object.keys(load('onnxruntime-node'))
  .filter((name) => name !== 'default')
  .map((name) => `exports.${name} = runtime.${name};`)
  .join('\n')}
`;
