import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOf, routeGroups } from '../../functions/api/routes/groups.ts';
import { routes } from '../../functions/api/routes/table.ts';

test('the server registers every route of the table in its order, loading each group on demand', () => {
  assert.deepEqual(
    routeGroups.flatMap((group) => group.routes),
    routes.map(nameOf),
  );
  for (const { routes: names, load } of routeGroups) assert.deepEqual(load().map(nameOf), names);
});
