import { createHash } from 'node:crypto';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Plugin } from 'esbuild';
import type { Edit } from './lazy-modules.ts';

const INLINE_BYTES = 4096;

/**
 * Writes large JSON beside the bundle, once for all its importers: parsing JSON is faster than evaluating a literal.
 * Lazy modules use `load`, which parses it on first use.
 */
export const dataFiles = (outdir: string): Plugin => ({
  name: 'data-files',
  setup({ onLoad }) {
    onLoad({ filter: /\.json$/ }, async ({ path }) => {
      const text = JSON.stringify(JSON.parse(await readFile(path, 'utf8')));
      const isShort = text.length <= INLINE_BYTES;
      // A package may `require` its own JSON, which must return the value itself.
      if (isShort && /[/\\]node_modules[/\\]/.test(path)) return { contents: text, loader: 'json' };
      if (isShort) return { contents: moduleOf(JSON.stringify(text)) };
      const name = `${basename(path, '.json')}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.json`;
      await writeFile(join(outdir, name), text);
      const read = `readFileSync(new URL(${JSON.stringify(`./${name}`)}, import.meta.url), 'utf8')`;
      return { contents: `import { readFileSync } from 'node:fs';\n${moduleOf(read)}` };
    });
  },
});

const moduleOf = (text: string): string => `let made;
export const load = () => (made ??= { default: JSON.parse(${text}) });
export default /* @__PURE__ */ (() => load().default)();`;

/** Learned weights that a module reads from a URL. */
const ADDRESS = /new URL\('(\.[^']+\.safetensors)', import\.meta\.url\)/g;

/** Copies learned weights beside the bundle and changes their URLs accordingly. */
export const weightAddresses =
  (outdir: string): Edit =>
  async (path, text) => {
    const files = [...text.matchAll(ADDRESS)].map(([, to = '']) => resolve(dirname(path), to));
    await Promise.all(files.map((file) => copyFile(file, join(outdir, basename(file)))));
    return text.replaceAll(ADDRESS, (_, to: string) => `new URL('./${basename(to)}', import.meta.url)`);
  };
