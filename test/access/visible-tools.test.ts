import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { requireVisible, visibleTools } from '../../shared/access/visible-tools.ts';

describe('visible tools', () => {
  test('a key without a list sees every tool and may change every tool', () => {
    assert.equal(visibleTools({}).has('anything'), true);
    assert.equal(visibleTools({}).only, undefined);
    assert.doesNotThrow(() => requireVisible({}, 'anything'));
  });

  test('a key confined to some tools sees only those', () => {
    const visible = visibleTools({ tools: new Set(['hash']) });
    assert.equal(visible.has('hash'), true);
    assert.equal(visible.has('diff'), false);
    assert.deepEqual([...(visible.only ?? [])], ['hash']);
  });

  test('a key confined to an empty list of tools sees none', () => {
    assert.equal(visibleTools({ tools: new Set() }).has('hash'), false);
  });

  test('changing a tool outside a key’s list is Forbidden, and the error names the list', () => {
    assert.throws(() => requireVisible({ tools: new Set(['hash']) }, 'diff'), {
      name: 'Forbidden',
      message: /confined to hash; it may not change diff/,
    });
    assert.throws(() => requireVisible({ tools: new Set() }, 'diff'), { message: /confined to no tools/ });
  });
});
