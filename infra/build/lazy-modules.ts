import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { type OnLoadResult, type Plugin, transform } from 'esbuild';
import { lazyConstants } from './lazy-constants.ts';
import { askFile, type ModuleGroups, type Place, START_FILE } from './module-groups.ts';
import { root } from './paths.ts';

/** Changes the text of a source before it is bundled. */
export type Edit = (path: string, text: string) => string | Promise<string>;

interface Options {
  /** Entry points, and modules with top-level await: they are not made lazy. */
  readonly asTheyAre: readonly string[];
  readonly edits: readonly Edit[];
  /** The files that modules are grouped into; by default the bundler decides. */
  readonly groups?: ModuleGroups;
  /** Makes every module record its evaluation in `globalThis.assayModules`. */
  readonly noted?: boolean;
}

/** Modules that keep a file of their own when loaded by `import()`, because they or their packages are large. */
const APART =
  /[/\\](mcp|decide|task|search|console|openapi)[/\\]|[/\\](openapi|memory|lambda-upstream|serve|otlp-exporter|sdk-calls|s3-bucket|s3-sign-put)\.ts$/;

/**
 * Evaluates each of our modules on the first use of one of its exports, not when the bundle starts: most of them create
 * tables and schemas that a first response does not need. The sources keep plain imports.
 *
 * A module becomes `load`, a function that evaluates it once and returns its exports; importers call `load` at each use
 * of a name. Modules have no cycles (`test/architecture.test.ts`), so their exports are complete when `load` returns.
 */
export const lazyModules = ({ asTheyAre, edits, groups, noted = false }: Options): Plugin => ({
  name: 'lazy-modules',
  setup({ onResolve, onLoad }) {
    const plain = new Set(asTheyAre);
    const placeOf = (file: string) => groups?.placeOf(file);
    const edited = async (path: string): Promise<string> => {
      let text = await readFile(path, 'utf8');
      for (const edit of edits) text = await edit(path, text);
      return text;
    };
    onResolve({ filter: /^\.{1,2}\/.*\.tsx?$/, namespace: 'file' }, ({ path, kind, importer, resolveDir }) => {
      if (kind === 'entry-point' || !isOurs(importer)) return undefined;
      const file = resolve(resolveDir, path);
      const isWhole = !plain.has(file) && (kind === 'dynamic-import' || plain.has(importer));
      return { path: file, namespace: isWhole ? WHOLE : 'file' };
    });
    onLoad({ filter: /\.tsx?$/, namespace: 'file' }, async ({ path }): Promise<OnLoadResult | undefined> => {
      if (!isOurs(path)) return undefined;
      const text = await edited(path);
      return plain.has(path)
        ? { contents: text, loader: 'ts' }
        : { contents: (await convert(path, text, { placeOf, noted })).text, loader: 'js' };
    });
    onLoad({ filter: /.*/, namespace: WHOLE }, async ({ path }) => {
      const { names } = await convert(path, await edited(path), { placeOf, noted });
      const place = placeOf(path);
      const asked = place
        ? `const all = ${askFile(place)};`
        : `import { load } from ${JSON.stringify(path)};\nconst all = load();`;
      return {
        contents: `${asked}\n${names.map(exportOf).join('\n')}`,
        resolveDir: dirname(path),
      };
    });
  },
});

const WHOLE = 'whole';

const isOurs = (path: string): boolean => /^(shared|functions|metadata)[/\\]/.test(relative(root, path));

const exportOf = (name: string): string =>
  name === 'default' ? 'export default all.default;' : `export const ${name} = all.${name};`;

interface Converted {
  readonly text: string;
  readonly names: readonly string[];
}

interface Conversion {
  readonly placeOf: (module: string) => Place | undefined;
  readonly noted: boolean;
}

/** In esbuild's output for `require`, each use of an import is prefixed with its module's name. */
const convert = async (path: string, source: string, { placeOf, noted }: Conversion): Promise<Converted> => {
  const { code } = await transform(source, {
    loader: 'ts',
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    logLevel: 'silent',
  });
  const found = FORM.exec(await lazyConstants(code));
  if (!found) throw new Error('esbuild writes modules in another form now');
  const [, table = '', rest = ''] = found;
  const imports: string[] = [];
  const asked: string[] = [];
  /** Where to find a module that is in another file. */
  const elsewhere = (from: string): Place | undefined => {
    const place = from.startsWith('.') ? placeOf(resolve(dirname(path), from)) : undefined;
    return place?.file === placeOf(path)?.file ? undefined : place;
  };
  const ask = (local: string, from: string): void => {
    imports.push(importOf(local, from, elsewhere(from)));
    if (isLazy(from)) asked.push(local);
  };
  let body = rest
    .replace(/^const import_meta = \{\};$/m, '')
    .replaceAll('import_meta.', 'import.meta.')
    .replaceAll(IMPORT, (_, name: string | undefined, from: string) => {
      ask(name ?? `side_${imports.length}`, from);
      return name === undefined && isLazy(from) ? `side_${imports.length - 1}();` : '';
    })
    .replaceAll(/\bimport\("(\.[^"]+)"\)/g, (kept, from: string) => {
      const place = elsewhere(from);
      if (!place && APART.test(resolve(dirname(path), from))) return kept;
      const local = `later_${imports.length}`;
      imports.push(importOf(local, from, place));
      return `Promise.resolve().then(${local})`;
    });
  let exported = table;
  for (const name of asked) {
    const use = new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${name}(?=\\.)`, 'g');
    body = body.replaceAll(use, `(${name}())`);
    exported = exported.replaceAll(use, `(${name}())`);
  }
  const names = [...exported.matchAll(/^ {2}(\w+): \(\) => (.+?),?$/gm)];
  const fields = names.map(([, name, value = '']) =>
    value.includes('.') ? `get ${name}() { return ${value}; }` : `${name}: ${value}`,
  );
  const note = noted
    ? `(globalThis.assayModules ??= new Set()).add(${JSON.stringify(relative(root, path).replaceAll('\\', '/'))});\n`
    : '';
  const made = `{ ${fields.join(', ')} }`;
  return {
    text: [
      ...imports,
      ...(!noted && placeOf(path)?.file === START_FILE ? atOnce(body, made) : later(note + body, made)),
    ].join('\n'),
    names: names.map(([, name = '']) => name),
  };
};

const later = (body: string, made: string): readonly string[] => [
  'let made;',
  'export const load = () => (made ??= make());',
  `const make = () => {\n${body}\nreturn ${made};\n};`,
];

/** Modules that every start evaluates are not wrapped in a function, because V8 parses functions twice. */
const atOnce = (body: string, made: string): readonly string[] => [
  body,
  `const assay_made = ${made};`,
  'const assay_load = () => assay_made;',
  'export { assay_load as load };',
];

/** Our modules and data, and Node's built-in modules, which are slower to load than most of ours: `node:http` loads fetch. */
const isLazy = (from: string): boolean => from.startsWith('node:') || /^\..*\.(tsx?|json)$/.test(from);

const importOf = (local: string, from: string, place?: Place): string => {
  if (place) return `let ${local}_made;\nconst ${local} = () => (${local}_made ??= ${askFile(place)});`;
  const file = JSON.stringify(from);
  if (from.startsWith('node:'))
    return `let ${local}_made;\nconst ${local} = () => (${local}_made ??= process.getBuiltinModule(${file}));`;
  return isLazy(from) ? `import { load as ${local} } from ${file};` : `import * as ${local} from ${file};`;
};

const FORM =
  /^var stdin_exports = \{\};\n(?:__export\(stdin_exports, \{\n([\s\S]*?)^\}\);\n)?module\.exports = __toCommonJS\(stdin_exports\);\n([\s\S]*?)(?:^\/\/ Annotate the CommonJS export names[\s\S]*)?$(?![\s\S])/m;
const IMPORT = /^(?:var (\w+) = )?(?:__toESM\()?require\("([^"]+)"\)\)?;$/gm;
