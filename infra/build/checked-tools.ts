import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Edit } from './lazy-modules.ts';
import { fromRoot } from './paths.ts';

interface Checked {
  readonly entries: unknown;
  readonly families: unknown;
}

/** Validates the shipped tools and writes them beside the bundle, so that a start need not validate them. */
export const checkedTools =
  (outdir: string): Edit =>
  async (path, text) => {
    if (/[/\\]shared[/\\]iqa[/\\]shipped-catalogue\.ts$/.test(path)) {
      const read = await written(outdir, 'checked-metadata.json', (await check()).entries);
      return `import { readFileSync } from 'node:fs';
import { buildCatalogue } from './metadata.ts';
export const shippedCatalogue = () => buildCatalogue(${read});`;
    }
    if (/[/\\]functions[/\\]compose[/\\]checked-families\.ts$/.test(path)) {
      const read = await written(outdir, 'checked-families.json', (await check()).families);
      return `import { readFileSync } from 'node:fs';
let made;
export const checkedFamilies = () => (made ??= ${read});`;
    }
    return text;
  };

/** By path, because `infra` must not import what it deploys. */
const check = async (): Promise<Checked> => {
  const file = pathToFileURL(fromRoot('functions/compose/check-shipped.ts')).href;
  const { checkShipped } = (await import(file)) as { readonly checkShipped: () => Checked };
  return checkShipped();
};

const written = async (outdir: string, name: string, value: unknown): Promise<string> => {
  await writeFile(join(outdir, name), JSON.stringify(value));
  return `JSON.parse(readFileSync(new URL('./${name}', import.meta.url), 'utf8'))`;
};
