import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { compareVersions } from '../../shared/kernel/version-order.ts';
import { createRegistry } from '../../shared/registry/registry.ts';
import { tries } from '../support/sampling.ts';
import { aTool } from '../support/tools.ts';

const version = fc
  .tuple(fc.nat(20), fc.nat(20), fc.nat(20), fc.option(fc.constantFrom('alpha', 'beta.1', 'rc.2'), { nil: undefined }))
  .map(([major, minor, patch, pre]) => `${major}.${minor}.${patch}${pre === undefined ? '' : `-${pre}`}`);

const release = fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20)).map((parts) => parts.join('.'));

describe('versions', () => {
  test('R1.17 versions have SemVer order', () => {
    const ordered = [
      'unversioned',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.2.0',
      '1.10.0',
      '2.0.0',
    ];

    assert.deepEqual([...ordered].reverse().sort(compareVersions), ordered);
  });

  test('R1.17 a version that is not SemVer is refused', () => {
    for (const bad of ['1', '1.0', 'v1.0.0', '01.0.0', '1.0.0-', '1.0.0-01', '', 'latest', '1.0.0 '])
      assert.throws(() => createRegistry().register(aTool({ version: bad })), /version .*semantic version/, bad);
  });

  test('R1.19 a range resolves to the default, an exact version, or the highest match', () => {
    const registry = createRegistry();
    for (const each of ['1.0.0', '1.4.2', '1.9.0-beta', '2.1.0']) registry.register(aTool({ version: each }));

    assert.equal(registry.get('weather_lookup')?.id, 'weather_lookup@2.1.0');
    assert.equal(registry.get('weather_lookup', '1.0.0')?.id, 'weather_lookup@1.0.0');
    assert.equal(registry.get('weather_lookup', '^1')?.id, 'weather_lookup@1.4.2');
    assert.equal(registry.get('weather_lookup', '3.x'), undefined);
    assert.throws(() => registry.get('weather_lookup', 'not a range!'), /neither a version nor a range/);
  });

  test('R1.18 the default is the highest release, whatever the order of registration', () => {
    fc.assert(
      fc.property(release, fc.uniqueArray(version, { maxLength: 8 }), (first, others) => {
        const versions = [...new Set([first, ...others])];
        const registry = createRegistry();
        for (const each of versions) registry.register(aTool({ version: each }));
        const releases = versions.filter((each) => !each.includes('-')).sort(compareVersions);
        const registered = registry.get('weather_lookup');

        assert.equal(registered?.versions.length, versions.length);
        assert.equal(registered?.default_version, releases.at(-1));
      }),
      { numRuns: tries(40, 200) },
    );
  });

  test('R4.06 after any removals the default exists and is the highest remaining release', () => {
    fc.assert(
      fc.property(fc.uniqueArray(version, { minLength: 2, maxLength: 8 }), fc.nat(7), (versions, at) => {
        const registry = createRegistry();
        for (const each of versions) registry.register(aTool({ version: each }), { makeDefault: true });
        const gone = registry.get('weather_lookup')?.default_version;
        registry.remove(`weather_lookup@${gone}`);
        const left = versions.filter((each) => each !== gone).sort(compareVersions);
        registry.remove(`weather_lookup@${versions[at % versions.length]}-never`);

        assert.equal(
          registry.get('weather_lookup')?.default_version,
          left.findLast((each) => !each.includes('-')) ?? left.at(-1),
        );
      }),
      { numRuns: tries(40, 200) },
    );
  });
});
