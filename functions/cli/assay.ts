#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Halves the start of a command; so the rest is imported after it.
enableCompileCache();
const { main } = await import('./main.ts');
process.exitCode = await main(process.argv.slice(2));
