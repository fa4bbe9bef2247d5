import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Files whose tests mostly wait for other processes, or change, end or measure their own process. */
const APART =
  /^test\/(browser|bundles|cli|clients|package|simulation|flows\/(billing|concurrent-inv|readme|serve|stopping|two)|execute\/isolation|adapters\/(onnx-picture|sqlite-crash))/;

/**
 * The seconds that files take on an idle machine, where that is much more than `USUAL`: `npm test` prints the slowest.
 * They only decide which files start first and which share a process, never what is tested.
 */
const SECONDS: Readonly<Record<string, number>> = {
  'adapters/dynamo-table': 15,
  'adapters/onnx-decode': 12,
  'adapters/onnx-picture-memory': 8,
  'adapters/onnx-pool': 9,
  'adapters/sentence-encoder': 4,
  'api/authorisation': 4,
  'api/fuzz': 4,
  'api/mcp-conformance': 4,
  'browser/console': 75,
  'bundles/api': 12,
  'bundles/flows': 30,
  'bundles/inference': 25,
  'cli/convert': 4,
  'cli/execution': 14,
  'cli/frame': 11,
  'cli/mcp': 8,
  'cli/models-show': 3,
  'cli/pictures': 8,
  'cli/readme': 4,
  'cli/runs': 10,
  'cli/score': 13,
  'cli/sources': 6,
  'cli/tools': 14,
  'clients/client-table': 4,
  'clients/client-tasks': 8,
  'clients/connect': 6,
  'decide/never-invent': 5,
  'execute/budgets': 8,
  'execute/fair-turns': 6,
  'execute/isolation': 20,
  'execute/metering': 4,
  'flows/billing-processes': 11,
  'flows/concurrent-invocations': 4,
  'flows/readme': 4,
  'flows/serve': 4,
  'flows/stopping': 10,
  'flows/two-servers': 8,
  'flows/upgrade': 9,
  'infra/deploy': 10,
  'infra/stage': 4,
  'iqa/fit': 8,
  'iqa/fr-golden': 5,
  'iqa/fr-sizes': 6,
  'iqa/models': 14,
  'iqa/score': 4,
  'package/install': 18,
  'plan/semantics': 5,
  'plan/to-asl': 4,
  'simulation/simulation': 10,
  'sources/real-upstreams': 4,
  'uploads/events': 4,
};
const USUAL = 0.6;

/** The number of processes among which the other files are divided; each loads the product once. */
const SHARED = 6;

export interface Part {
  readonly files: readonly string[];
  readonly seconds: number;
}

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const files = globSync('test/**/*.test.ts', { cwd }).sort();

/** The tests that may share a process. */
export const together = files.filter((file) => !APART.test(file));

/** The tests that need a process for each file. */
export const apart = files.filter((file) => APART.test(file));

const secondsOf = (file: string): number => SECONDS[file.slice('test/'.length, -'.test.ts'.length)] ?? USUAL;

const sum = (list: readonly string[]): number => list.reduce((total, file) => total + secondsOf(file), 0);

/** Divides a list into parts of similar duration; neighbours stay together, as they load the same modules. */
const cut = (list: readonly string[], count: number): readonly Part[] => {
  const share = sum(list) / count;
  const parts: string[][] = Array.from({ length: count }, () => []);
  let before = 0;
  for (const file of list) {
    const middle = before + secondsOf(file) / 2;
    parts[Math.min(count - 1, Math.floor(middle / share))]?.push(file);
    before += secondsOf(file);
  }
  return parts.map((part) => ({ files: part, seconds: sum(part) }));
};

/** The parts that `npm test` runs in a process each, the longest first, so that no long one runs alone at the end. */
export const parts: readonly Part[] = [
  ...cut(together, SHARED),
  ...apart.map((file) => ({ files: [file], seconds: secondsOf(file) })),
].sort((a, b) => b.seconds - a.seconds);
