import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import compareBuild from 'semver/functions/compare-build.js';
import prerelease from 'semver/functions/prerelease.js';
import { compareVersions, isPrerelease } from '../../shared/kernel/version-order.ts';

const number = fc.nat(12).map(String);
const word = fc.constantFrom('a', 'alpha', 'B', '-', '0a', 'rc', 'x-y');
const identifiers = fc.array(fc.oneof(number, word), { minLength: 1, maxLength: 3 }).map((words) => words.join('.'));
const version = fc
  .tuple(number, number, number, fc.option(identifiers), fc.option(identifiers))
  .map(([major, minor, patch, pre, build]) => {
    const release = `${major}.${minor}.${patch}`;
    return `${release}${pre === null ? '' : `-${pre}`}${build === null ? '' : `+${build}`}`;
  });

test('R1.17 versions are ordered as npm orders them', () => {
  fc.assert(
    fc.property(version, version, (a, b) => {
      assert.equal(Math.sign(compareVersions(a, b)), compareBuild(a, b), `${a} ${b}`);
      assert.equal(isPrerelease(a), prerelease(a) !== null);
    }),
    { numRuns: 5000 },
  );
});

test('R1.17 version numbers too long for a number are ordered by value', () => {
  assert.ok(compareVersions('1.0.99999999999999999998', '1.0.99999999999999999999') < 0);
  assert.ok(compareVersions('1.0.99999999999999999999', '1.0.100000000000000000000') < 0);
});
