import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What mostly waits for other processes, changes the environment of its own, ends it or measures it. */
const APART =
  /^test\/(browser|bundles|cli|clients|package|simulation|flows\/(billing|concurrent-inv|readme|serve|stopping|two)|execute\/isolation|adapters\/(onnx-picture|sqlite-crash))/;

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const files = globSync('test/**/*.test.ts', { cwd }).sort();

/** The tests that share one process, which loads the product once. */
export const together = files.filter((file) => !APART.test(file));

/** The tests that need a process for each file. */
export const apart = files.filter((file) => APART.test(file));
