import { bundleFunction } from './bundle.ts';

/** `node infra/build/bundle-cli.ts <entry> <outdir>`: synthesis runs it for each function, because constructs are synchronous. */
const [entry, outdir] = process.argv.slice(2);
if (entry === undefined || outdir === undefined) throw new Error('usage: bundle-cli.ts <entry> <outdir>');
const { bytes, codeBytes } = await bundleFunction({ entry, outdir });
console.error(`${entry}: ${Math.round(codeBytes / 1000)} KB of code, ${Math.round(bytes / 1000)} KB in all`);
