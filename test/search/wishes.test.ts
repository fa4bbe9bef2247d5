import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Hit } from '../../shared/search/search-index.ts';
import { createSearchIndex } from '../../shared/search/search-index.ts';

const TOOLS: Readonly<Record<string, string>> = {
  flight_search: 'Search flights between two airports on a date',
  flight_finder: 'Finds flights between airports in a week',
  flight_offers: 'Search offers of flights between two airports',
  flight_list: 'Lists flights between two airports in a week',
  day_planner: 'Plans a visit with its sights and stops',
  ocean_tides: 'Tells the tides of the ocean',
};
const TWO_WISHES =
  'Please search flights between the airports of Oslo and Rome for the second week of next May, and when that is done I would also be glad if somebody planned a visit for us on the Tuesday of that same week';

const search = (query: string): readonly Hit[] => {
  const index = createSearchIndex();
  for (const [name, description] of Object.entries(TOOLS))
    index.set({ name, description, type: 'function', tags: [], parameters: { type: 'object', properties: {} } });
  return index.search(query);
};

describe('a search for several wishes', () => {
  test('X.10 the best tool for another wish comes before further tools for the first', () => {
    const names = search(TWO_WISHES).map(({ name }) => name);
    assert.deepEqual(names.slice(0, 2), ['flight_search', 'day_planner']);
  });

  test('X.10 the scores of a search for several wishes fall down the list', () => {
    const scores = search(TWO_WISHES).map(({ score }) => score);
    assert.ok(scores.length > 2);
    assert.deepEqual(
      scores,
      scores.toSorted((one, other) => other - one),
    );
  });

  test('X.10 a search for one wish lists similar tools side by side', () => {
    const names = search('search flights between airports in a week, and a visit').map(({ name }) => name);
    assert.deepEqual(
      names.slice(0, 4).map((name) => name.split('_')[0]),
      ['flight', 'flight', 'flight', 'flight'],
    );
    assert.equal(names[4], 'day_planner');
  });
});
