import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sha256 } from '../../shared/kernel/canonical-json.ts';
import { sha256InSlices } from '../../shared/kernel/digest-slices.ts';

describe('digests of pictures', () => {
  test('X.07 the digest of 30 MB is that of all bytes, and the event loop turns meanwhile', async () => {
    const bytes = Uint8Array.from({ length: 30_000_001 }, (_, at) => at % 251);
    let turns = 0;
    let timer = setImmediate(function beat() {
      turns++;
      timer = setImmediate(beat);
    });

    const digest = await sha256InSlices(bytes);

    clearImmediate(timer);
    assert.equal(digest, sha256(bytes));
    assert.ok(turns >= 7, `${turns} turns`);
    assert.equal(await sha256InSlices(new Uint8Array(0)), sha256(''));
  });
});
