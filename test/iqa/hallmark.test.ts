import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import { createStamp, findFlaw, publishKeys } from '../../shared/iqa/hallmark.ts';
import type { HallmarkStatement } from '../../shared/iqa/hallmark-statement.ts';
import { verifyScores } from '../../shared/iqa/verify-score.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const stamp = createStamp(privateKey);
const { keys } = publishKeys([publicKey]);

const statement: HallmarkStatement = {
  v: 1,
  image_sha256: 'aa',
  reference_sha256: 'bb',
  tool: 'ssim',
  version: '1.0.0',
  tool_digest: 'cc',
  graph_sha256: 'dd',
  decoder: 'sharp 1',
  raw: 0.9876543210123,
  normalized: 4.5,
  at: '2026-01-01T00:00:00.000Z',
};
const document = () => ({
  image: { sha256: 'aa', width: 1, height: 1, format: 'png' },
  reference: { sha256: 'bb' },
  scores: [{ tool: 'ssim', version: '1.0.0', raw: statement.raw, normalized: 4.5, hallmark: stamp(statement) }],
});

describe('hallmarks', () => {
  test('a hallmark verifies with the published key, also after a round trip through JSON', () => {
    const hallmark = JSON.parse(JSON.stringify(stamp(statement)));

    assert.equal(findFlaw(hallmark, keys), undefined);
    assert.equal(hallmark.key_id, keys[0]?.kid);
  });

  test('the published key is a JSON Web Key without the secret part', () => {
    assert.deepEqual(Object.keys(keys[0] ?? {}).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x']);
  });

  test('every field of a score is covered by the signature', () => {
    const { signature, key_id } = stamp(statement);
    for (const field of Object.keys(statement) as (keyof HallmarkStatement)[]) {
      const value = statement[field];
      const changed = { ...statement, [field]: typeof value === 'number' ? value + 1e-9 : `${value}x` };

      assert.match(findFlaw({ statement: changed, signature, key_id }, keys) ?? '', /signature does not match/, field);
    }
  });

  test('an unpublished key, or one swapped under its name, is refused', () => {
    const other = generateKeyPairSync('ed25519');
    const forged = createStamp(other.privateKey)(statement);
    const [key] = keys;
    assert.ok(key);

    assert.match(findFlaw(forged, keys) ?? '', /not among the published keys/);
    const swapped = { ...key, x: publishKeys([other.publicKey]).keys[0]?.x ?? '' };
    assert.match(findFlaw({ ...forged, key_id: key.kid }, [swapped]) ?? '', /has another thumbprint/);
  });

  test('a score document is verified offline, score by score', () => {
    const blind = { ...statement, tool: 'niqe', reference_sha256: null };
    const both = document();
    const scores = [...both.scores, { ...both.scores[0], tool: 'niqe', hallmark: stamp(blind) }];

    assert.deepEqual(verifyScores({ ...both, scores }, keys), [
      { tool: 'ssim', valid: true },
      { tool: 'niqe', valid: true },
    ]);
  });

  test('a changed score fails verification although its hallmark is valid', () => {
    const good = document();
    const [score] = good.scores;
    assert.ok(score);
    const lies = [
      { ...good, scores: [{ ...score, raw: 0.99 }] },
      { ...good, scores: [{ ...score, normalized: 5 }] },
      { ...good, scores: [{ ...score, tool: 'vif' }] },
      { ...good, image: { ...good.image, sha256: 'ff' } },
      { ...good, reference: { sha256: 'ff' } },
      { ...good, scores: [{ ...score, hallmark: undefined }] },
    ];

    for (const lie of lies) assert.equal(verifyScores(lie, keys)[0]?.valid, false);
    assert.match(verifyScores(lies[0], keys)[0]?.reason ?? '', /raw says 0\.99, the hallmark 0\.98765/);
  });

  test('a document without scores and a key of another kind are refused', () => {
    assert.throws(() => verifyScores({ scores: [] }, keys), { name: 'InvalidInput' });
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
    assert.throws(() => createStamp(rsa.privateKey), TypeError);
  });
});
