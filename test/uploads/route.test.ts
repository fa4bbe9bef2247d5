import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { routeLimits, routeUpload, type UploadRoute } from '../../shared/uploads/route-upload.ts';

const all: ReadonlySet<UploadRoute> = new Set(['function', 'batch']);

describe('where an upload is scored', () => {
  test('C.04 small pictures are scored in the function, large ones and models in the container, many models on large ones by the GPU', () => {
    const route = (megapixels: number, learnedTools: number) => routeUpload({ megapixels, learnedTools }, all);

    assert.equal(route(12, 0), 'here');
    assert.equal(route(routeLimits.hereMegapixels + 0.1, 0), 'function');
    assert.equal(route(2, 1), 'function');
    assert.equal(route(2, 30), 'batch');
    assert.equal(route(50, 1), 'batch');
    assert.equal(route(200, 0), 'batch');
  });

  test('a missing target is replaced by one that exists', () => {
    const work = { megapixels: 60, learnedTools: 0 };

    assert.equal(routeUpload(work, new Set(['batch'])), 'batch');
    assert.equal(routeUpload({ ...work, megapixels: 300 }, new Set(['function'])), 'function');
    assert.equal(routeUpload(work, new Set()), 'here');
  });

  test('more pixels or models never route to a smaller target', () => {
    const order: readonly UploadRoute[] = ['here', 'function', 'batch'];
    const rank = (megapixels: number, learnedTools: number) =>
      order.indexOf(routeUpload({ megapixels, learnedTools }, all));
    const pixels = fc.double({ min: 0, max: 300, noNaN: true });
    const tools = fc.nat({ max: 10 });

    fc.assert(
      fc.property(pixels, pixels, tools, tools, (a, more, b, others) => rank(a + more, b + others) >= rank(a, b)),
    );
  });
});
