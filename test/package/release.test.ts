import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const script = fileURLToPath(new URL('../../infra/build/release.ts', import.meta.url));

const repository = async (t: Parameters<typeof temporaryDirectory>[0], changelog: string) => {
  const folder = await temporaryDirectory(t);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  const json = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`;
  write('package.json', json({ name: 'assay', version: '0.1.0', dependencies: { other: '0.1.0' } }));
  const packages = { '': { version: '0.1.0', name: 'assay' }, 'node_modules/other': { version: '0.1.0', dev: true } };
  write('package-lock.json', json({ name: 'assay', version: '0.1.0', lockfileVersion: 3, packages }));
  write('server.json', json({ version: '0.1.0', packages: [{ version: '0.1.0', runtimeHint: 'npx' }] }));
  mkdirSync(join(folder, 'functions/api'), { recursive: true });
  write('functions/api/about.ts', "export const about = {\n  version: '0.1.0',\n};\n");
  write('CHANGELOG.md', changelog);
  git('init', '--quiet');
  for (const [name, value] of Object.entries({ 'user.name': 'a', 'user.email': 'a@b.c', 'tag.gpgSign': 'false' }))
    git('config', name, value);
  git('add', '.');
  git('commit', '--quiet', '--message', 'first');
  return {
    write,
    git,
    read: (name: string) => readFileSync(join(folder, name), 'utf8'),
    release: (version: string) => spawnSync(process.execPath, [script, version, folder], { encoding: 'utf8' }),
  };
};

describe('npm run release', () => {
  test('npm run release dates the unreleased changes, sets the version, commits and tags', async (t) => {
    const { release, read, git } = await repository(
      t,
      '# Changelog\n\n## Unreleased\n\n- more\n\n## 0.1.0 (2026-01-01)\n',
    );

    const { status, stderr } = release('0.2.0');

    assert.equal(status, 0, stderr);
    assert.match(read('CHANGELOG.md'), /^# Changelog\n\n## Unreleased\n\n## 0\.2\.0 \(\d{4}-\d\d-\d\d\)\n\n- more\n/);
    const { version, dependencies } = JSON.parse(read('package.json'));
    assert.deepEqual([version, dependencies.other], ['0.2.0', '0.1.0']);
    const lock = JSON.parse(read('package-lock.json'));
    assert.deepEqual(
      [lock.version, lock.packages[''].version, lock.packages['node_modules/other'].version],
      ['0.2.0', '0.2.0', '0.1.0'],
    );
    const server = JSON.parse(read('server.json'));
    assert.deepEqual([server.version, server.packages[0].version], ['0.2.0', '0.2.0']);
    assert.match(read('functions/api/about.ts'), /version: '0\.2\.0'/);
    assert.equal(git('tag', '--list').trim(), 'v0.2.0');
    assert.equal(git('status', '--porcelain'), '');
  });

  test('npm run release refuses uncommitted changes, an empty section, and an invalid or tagged version', async (t) => {
    const { release, write, git } = await repository(t, '# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n- old\n');

    assert.match(release('0.2.0').stderr, /nothing unreleased/);
    assert.match(release('two').stderr, /two is no version; usage: npm run release -- 1\.2\.3/);
    git('tag', 'v0.2.0');
    assert.match(release('0.2.0').stderr, /v0\.2\.0 is tagged already/);
    write('CHANGELOG.md', 'changed');
    assert.match(release('0.3.0').stderr, /not committed/);
    assert.equal(git('log', '--oneline').trim().split('\n').length, 1);
  });
});
