import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const STARTER = fileURLToPath(new URL('../bench/support/start-bundle.ts', import.meta.url));
const HOOK = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const files = [];
  registerHooks({ load: (url, context, next) => (files.push(url), next(url, context)) });
  process.on('exit', () => process.stderr.write(
    '\\n' + JSON.stringify({ files, fetch: process.moduleLoadList.some((name) => name.includes('undici')) })));
`)}`;

interface FirstAnswer {
  /** The names of the loaded module groups, which are separate files of the bundle. */
  readonly groups: readonly string[];
  /** Whether Node's `fetch` was loaded. */
  readonly fetch: boolean;
}

/** What a bundle loads until its first answer, in a separate process. */
export const firstAnswer = async (
  folder: string,
  mode: 'stream' | 'plain',
  event: unknown,
  environment: Readonly<Record<string, string>>,
): Promise<FirstAnswer> => {
  const args = ['--import', HOOK, STARTER, folder, mode, JSON.stringify(event)];
  const { stderr } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...environment } });
  const { files, fetch } = JSON.parse(stderr.slice(stderr.lastIndexOf('\n'))) as { files: string[]; fetch: boolean };
  const groups = files.flatMap((url) => /(group-[\w-]+)\.mjs/.exec(url)?.[1] ?? []);
  return { groups: [...new Set(groups)], fetch };
};
