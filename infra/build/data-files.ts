import { createHash } from 'node:crypto';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Plugin } from 'esbuild';

const INLINE_BYTES = 4096;

/** Writes large JSON beside the bundle, once for all who import it: parsing JSON is faster than running a literal. */
export const dataFiles = (outdir: string): Plugin => ({
  name: 'data-files',
  setup({ onLoad }) {
    onLoad({ filter: /\.json$/ }, async ({ path }) => {
      const text = JSON.stringify(JSON.parse(await readFile(path, 'utf8')));
      if (text.length <= INLINE_BYTES) return { contents: text, loader: 'json' };
      const name = `${basename(path, '.json')}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.json`;
      await writeFile(join(outdir, name), text);
      return {
        contents: `import { readFileSync } from 'node:fs';
export default JSON.parse(readFileSync(new URL(${JSON.stringify(`./${name}`)}, import.meta.url), 'utf8'));`,
      };
    });
  },
});

/** Weights that a module reads by their address. */
const ADDRESS = /new URL\('(\.[^']+\.safetensors)', import\.meta\.url\)/g;

/** Puts learned weights beside the bundle and points their addresses there. */
export const weightFiles = (outdir: string): Plugin => ({
  name: 'weight-files',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]weight-files\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const files = [...text.matchAll(ADDRESS)].map(([, to = '']) => resolve(dirname(path), to));
      await Promise.all(files.map((file) => copyFile(file, join(outdir, basename(file)))));
      const contents = text.replaceAll(ADDRESS, (_, to: string) => `new URL('./${basename(to)}', import.meta.url)`);
      return { contents, loader: 'ts' };
    });
  },
});
