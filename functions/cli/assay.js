#!/usr/bin/env node
import module from 'node:module';

// JavaScript, so that Node loads no TypeScript reader while the compile cache has everything: a tenth of the start.
if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(`assay needs Node 24, and this is ${process.versions.node}; npm run assay -- brings its own\n`);
  process.exit(2);
}
module.enableCompileCache();
const { main } = await import('./main.ts');
process.exitCode = await main(process.argv.slice(2));
