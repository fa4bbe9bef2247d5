import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { weightsFor } from '../../shared/search/weights.ts';

describe('weights of a decision', () => {
  test('X.11 with the encoder, arguments count in the ranking of few tools and not of many', () => {
    const few = weightsFor('convert 5 USD', true, 20).ranking;
    const many = weightsFor('convert 5 USD', true, 4000).ranking;
    assert.notEqual(few.sure, 0);
    assert.deepEqual([many.missing, many.sure, many.explained, many.typed], [0, 0, 0, 0]);
    assert.notEqual(many.sentence, 0);
  });

  test('X.11 without the encoder, and in Chinese, arguments count however many tools there are', () => {
    for (const [text, isEncoded] of [
      ['convert 5 USD', false],
      ['把 5 美元换成欧元', true],
    ] as const) {
      assert.notEqual(weightsFor(text, isEncoded, 4000).ranking.sure, 0);
      assert.equal(weightsFor(text, isEncoded, 4000).ranking.sentence, 0);
    }
  });
});
