/**
 * Refits everything that decisions learn from data (`metadata/README.md` says from which):
 *   npm run fit -- --data <directory> [--only arguments|ranking|ready] [--vectors <directory>]
 */
import { execFileSync } from 'node:child_process';
import { loadCalls } from './calls.ts';
import { fitArguments, leavingOut } from './fit-arguments.ts';
import { fitRanking } from './fit-ranking.ts';
import { fitReady } from './fit-ready.ts';

const args = process.argv.slice(2);
const option = (name: string): string | undefined => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const directory = option('--data');
if (directory === undefined) throw new Error('name the data: npm run fit -- --data <directory>');

/** Each part reads the files of those before it at process start, so each runs in a process of its own. */
const PARTS = ['arguments', 'ranking', 'ready'];
const only = option('--only');
if (only === undefined)
  for (const part of PARTS)
    execFileSync(process.execPath, [import.meta.filename, ...args, '--only', part], { stdio: 'inherit' });
else if (only === 'ranking') await fitRanking(directory, option('--vectors'));
else {
  const calls = await loadCalls(directory);
  if (only === 'arguments') fitArguments(calls, leavingOut(calls));
  else if (only === 'ready') await fitReady(directory, calls, option('--vectors'));
  else throw new Error(`--only is one of ${PARTS.join(', ')}`);
}
