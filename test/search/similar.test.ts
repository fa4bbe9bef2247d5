import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSearchIndex } from '../../shared/search/search-index.ts';

/** What a search finds among tools of these cosines to a request that has no word of theirs. */
const found = (cosines: Readonly<Record<string, number>>): readonly string[] => {
  const index = createSearchIndex();
  for (const [name, cosine] of Object.entries(cosines)) {
    index.set({
      name,
      description: 'blorp',
      type: 'function',
      tags: [],
      parameters: { type: 'object', properties: {} },
    });
    index.vectors.set(name, Int8Array.of(Math.round(cosine * 127), Math.round(Math.sqrt(1 - cosine ** 2) * 127)));
  }
  return index.search('zzqux', { vectors: [Float32Array.of(1, 0)] }).map(({ name }) => name);
};

describe('a search by the sentence encoder alone', () => {
  test('X.10 a tool hardly less similar than the nearest is listed beside it', () => {
    assert.deepEqual(found({ ranx: 0.34, vobb: 0.24, quim: 0.05 }), ['ranx', 'vobb']);
  });

  test('X.10 where the nearest tool is not near nothing is listed', () => {
    assert.deepEqual(found({ ranx: 0.15, vobb: 0.1 }), []);
  });

  test('X.10 beside a very near tool one far behind it is not listed', () => {
    assert.deepEqual(found({ ranx: 0.8, vobb: 0.3 }), ['ranx']);
  });
});
