#!/usr/bin/env node
// JavaScript, so that an old Node can read it, and that Node loads no TypeScript reader while the compile cache has
// everything: a tenth of the start. Without imports, as those read every export of Node's modules, and some are made then.
if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(
    `assay needs Node 24 or newer, and this is Node ${process.versions.node}; install a newer Node, or run: npx --package=node@24 --package=assay assay\n`,
  );
  process.exit(2);
}
const { existsSync, readFileSync } = process.getBuiltinModule('node:fs');
const { fileURLToPath, pathToFileURL } = process.getBuiltinModule('node:url');
if (process.argv[2] === '--version') {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  process.stdout.write(`${version}\n`);
} else {
  process.getBuiltinModule('node:module').enableCompileCache();
  const { main } = await import(await programFile());
  process.exitCode = await main(process.argv.slice(2));
}

/** The package has its program bundled. A clone has too, after `npm ci`, and runs its sources once one has changed. */
async function programFile() {
  if (!existsSync(new URL('./main.ts', import.meta.url))) return '../../dist/functions/cli/index.mjs';
  const { currentBundle } = await import('../../infra/build/bundle-cache.js');
  const bundle = currentBundle(fileURLToPath(new URL('../..', import.meta.url)));
  return bundle === undefined ? './main.ts' : pathToFileURL(bundle).href;
}
