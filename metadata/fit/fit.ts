/**
 * Makes everything again that decisions learnt from data (`metadata/README.md` says from which):
 *   npm run fit -- --data <directory> [--only arguments|ranking|ready] [--vectors <directory>]
 */
import { loadCalls } from './calls.ts';
import { fitArguments, leavingOut } from './fit-arguments.ts';
import { fitRanking } from './fit-ranking.ts';
import { fitReady } from './fit-ready.ts';

const args = process.argv.slice(2);
const option = (name: string): string | undefined => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const directory = option('--data');
if (directory === undefined) throw new Error('name the data: npm run fit -- --data <directory>');
const only = option('--only');
const wanted = (part: string): boolean => (only ?? part) === part;
const calls = wanted('arguments') || wanted('ready') ? await loadCalls(directory) : [];
const weightsWithout = leavingOut(calls);
if (wanted('arguments')) fitArguments(calls, weightsWithout);
if (wanted('ranking')) await fitRanking(directory, option('--vectors'));
if (wanted('ready')) await fitReady(directory, weightsWithout, option('--vectors'));
