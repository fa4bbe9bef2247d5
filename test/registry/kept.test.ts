import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Kept } from '../../shared/registry/lookup/kept.ts';

test('never more than the number and the size, and the most recently used stay', () => {
  const step = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), bytes: fc.nat(60), isSet: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const kept = new Kept<number>({ entries: 3, bytes: 100 });
      // What a list in order of use would hold.
      let model: { key: string; bytes: number }[] = [];
      for (const { key, bytes, isSet } of steps) {
        const known = model.find((each) => each.key === key);
        if (isSet) {
          kept.set(key, bytes, bytes);
          model = [...model.filter((each) => each.key !== key), { key, bytes }];
          while (model.length > 3 || model.reduce((sum, each) => sum + each.bytes, 0) > 100) model.shift();
        } else {
          assert.equal(kept.get(key), known?.bytes);
          if (known) model = [...model.filter((each) => each.key !== key), known];
        }
      }
      for (const { key, bytes } of model) assert.equal(kept.get(key), bytes);
    }),
  );
});

test('what is larger than all together is not kept, and pushes nothing out', () => {
  const kept = new Kept<string>({ entries: 3, bytes: 100 });
  kept.set('small', 'stays', 10);

  kept.set('large', 'goes', 101);

  assert.equal(kept.get('large'), undefined);
  assert.equal(kept.get('small'), 'stays');
});
