import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.ts';

/**
 * `npm run release -- 0.2.0`: on a clean tree, gives the unreleased section of the changelog its version and date, sets
 * the version in all files that contain it, commits and tags. Nothing is pushed or published.
 */
const release = (version: string, folder: string, today: string): void => {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  const packageFile = join(folder, 'package.json');
  const before = JSON.parse(readFileSync(packageFile, 'utf8')).version as string;
  checkVersion(version, before, git('tag', '--list', `v${version}`) !== '');
  if (git('status', '--porcelain') !== '')
    throw new Error('the tree has changes that are not committed; commit or stash them first');
  const changelogFile = join(folder, 'CHANGELOG.md');
  writeFileSync(changelogFile, closeUnreleased(readFileSync(changelogFile, 'utf8'), version, today));
  for (const [file, times] of Object.entries(VERSIONED)) setVersion(join(folder, file), times, before, version);
  git('commit', '--all', '--message', `project: release ${version}`);
  git('tag', '--annotate', `v${version}`, '--message', `Assay ${version}`);
};

const checkVersion = (version: string, before: string, isTagged: boolean): void => {
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version))
    throw new Error(`${version || 'nothing'} is no version; usage: npm run release -- 1.2.3`);
  if (isTagged) throw new Error(`v${version} is tagged already; package.json says ${before}, choose a later one`);
};

/** Renames the unreleased section of the changelog and starts a new one. */
const closeUnreleased = (changelog: string, version: string, today: string): string => {
  const heading = /^## (?:.*\()?unreleased\)?[ \t]*$/im;
  const [, notes = ''] = changelog.split(heading);
  if (!heading.test(changelog) || notes.split(/^## /m)[0]?.trim() === '')
    throw new Error('CHANGELOG.md has nothing unreleased; write what changed under "## Unreleased" first');
  return changelog.replace(heading, `## Unreleased\n\n## ${version} (${today})`);
};

/** The files with the product's version, and how often it occurs; other versions in them are of dependencies. */
const VERSIONED = { 'package.json': 1, 'package-lock.json': 2, 'server.json': 2, 'functions/api/about.ts': 1 };

const setVersion = (file: string, times: number, before: string, version: string): void => {
  const lines = readFileSync(file, 'utf8').split('\n');
  const names = new RegExp(`^\\s*"?version"?: ["']${RegExp.escape(before)}["'],$`);
  const own = lines.flatMap((line, index) => (names.test(line) ? [index] : [])).slice(0, times);
  if (own.length < times) throw new Error(`${file} names the version ${before} ${own.length} times, not ${times}`);
  for (const index of own) lines[index] = (lines[index] ?? '').replace(before, version);
  writeFileSync(file, lines.join('\n'));
};

if (import.meta.main) {
  const [version = '', folder = root] = process.argv.slice(2);
  try {
    release(version, folder, new Date().toISOString().slice(0, 10));
    console.error(`v${version} is committed and tagged; push it with: git push --follow-tags`);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
