// Asked so, as `import` reads every export of a module to link it, and some are made when they are read.
const { readFileSync, statSync } = process.getBuiltinModule('node:fs');

/** Where a clone keeps its bundled command. */
export const CACHE = 'node_modules/.cache/assay';

/** The bundled command of the clone in a folder; undefined when there is none, or a source has changed since. */
export const currentBundle = (root) => {
  try {
    const { folder, sources } = JSON.parse(readFileSync(`${root}/${CACHE}/current.json`, 'utf8'));
    const isCurrent = Object.entries(sources).every(([path, mark]) => mark === markOf(root, path));
    return isCurrent ? `${root}/${CACHE}/${folder}/functions/cli/index.mjs` : undefined;
  } catch {
    return undefined;
  }
};

/** What tells that a file has changed. */
export const markOf = (root, path) => {
  const { size, mtimeMs } = statSync(`${root}/${path}`);
  return `${size} ${mtimeMs}`;
};
