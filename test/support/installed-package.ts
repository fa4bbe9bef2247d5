import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isWhole } from './sampling.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** A user's environment: this Node first on the path, and no variables from npm, Node or Assay. */
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|ASSAY_)/.test(name))),
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
};

/** A registry that stops answering would hold npm for as long as it likes. */
const MOST_MS = 300_000;

/** Runs a program as a user of the package would. */
export const runAsUser = (cwd: string, file: string, ...args: string[]) =>
  run(file, args, { cwd, env, maxBuffer: 2 ** 26, timeout: MOST_MS });

/**
 * Installs the package in a new folder. A whole run packs it and installs the tarball, with dependencies from the
 * registry; a sample builds it too, but copies the files that package.json lists and links this clone's dependencies.
 */
export const installPackage = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-package-'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'user', type: 'module', private: true }));
  await (isWhole ? packAndInstall(folder) : layOut(folder));
  return folder;
};

const packAndInstall = async (folder: string): Promise<void> => {
  const { stdout } = await runAsUser(root, 'npm', 'pack', '--json', '--pack-destination', folder);
  const [{ filename = '' } = {}] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as { filename?: string }[];
  await runAsUser(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, filename));
};

interface Package {
  readonly files: readonly string[];
  readonly bin: { readonly assay: string };
  readonly dependencies: Readonly<Record<string, string>>;
}

const layOut = async (folder: string): Promise<void> => {
  await run(process.execPath, [join(root, 'infra/build/package.ts'), '--unchecked'], { cwd: root });
  const { files, bin, dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Package;
  const modules = join(folder, 'node_modules');
  for (const file of ['package.json', ...files])
    await cp(join(root, file), join(modules, 'assay', file), { recursive: true });
  for (const name of Object.keys(dependencies)) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  await mkdir(join(modules, '.bin'));
  await symlink(join('../assay', bin.assay), join(modules, '.bin/assay'));
};
