import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Features } from '../../shared/search/features.ts';
import { withLead } from '../../shared/search/leads.ts';

const NOTHING: Features = {
  text: 0,
  meaning: 0,
  subject: 0,
  distinct: 0,
  purpose: 0,
  telling: 0,
  phrases: 0,
  intent: 0,
  scenario: 0,
  name: 0,
  nearness: 0,
  reach: 0,
  missing: 0,
  sure: 0,
  undemanding: 0,
  explained: 0,
  typed: 0,
  called: 0,
  similarity: 0,
  sentence: 0,
  likest: 0,
  nearest: 0,
};

const likest = (...sentences: readonly number[]): readonly number[] =>
  withLead(
    sentences.map((sentence) => ({ features: { ...NOTHING, sentence } })),
    'likest',
  ).map(({ features }) => features.likest);

describe('the lead of the most similar tool', () => {
  test('X.11 the lead is 1 for the nearest tool and falls with the distance to it', () => {
    const [second = 0, first, last = 1] = likest(0.5, 0.6, 0.2);
    assert.equal(first, 1);
    assert.ok(second < 1 && second > last && last > 0);
  });

  test('X.11 the lead does not depend on how similar the request is to all tools', () => {
    const [low, high] = [likest(0.1, 0.25), likest(0.6, 0.75)];
    for (const [at, value] of low.entries()) assert.ok(Math.abs(value - (high[at] ?? 0)) < 1e-9);
  });

  test('X.11 no tool has a lead where the tools have no vectors', () => {
    const words = [{ features: { ...NOTHING, nearness: 0.7 } }, { features: { ...NOTHING, nearness: 0.3 } }];
    assert.deepEqual(withLead(words, 'nearest'), words);
    assert.deepEqual(likest(0, 0), [0, 0]);
  });
});
