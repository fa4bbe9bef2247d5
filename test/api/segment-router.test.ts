import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hono } from 'hono';
import { SegmentRouter } from '../../functions/api/lambda/segment-router.ts';
import { routeGroups } from '../../functions/api/routes/groups.ts';

const apps = [new Hono(), new Hono({ router: new SegmentRouter() })] as const;
const routes = routeGroups.flatMap((group) => group.routes).map((name) => name.split(' ') as [string, string]);
for (const app of apps)
  for (const [method, path] of routes) {
    const answer = (c: { req: { param(): object }; json(value: object): Response }) =>
      c.json({ method, path, params: c.req.param() });
    if (method === 'all') app.all(path, answer as never);
    else app.on(method.toUpperCase(), path, answer as never);
  }

test('our router finds every route, and no other path, as Hono’s own router does', async () => {
  const paths = routes.flatMap(([, path]) => {
    const filled = path.replaceAll(/:\w+/g, 'a%2Fb.c');
    return [filled, `${filled}/`, `${filled}/more`, filled.slice(0, -1), path.replaceAll(/:\w+/g, ''), `/${path}`];
  });
  for (const path of new Set([...paths, '/', '/v1', '/v1/tools//invoke', '/v1/tools/é']))
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const [expected, found] = await Promise.all(
        apps.map(async (app) => {
          const response = await app.request(path, { method });
          return [response.status, await response.text()];
        }),
      );
      assert.deepEqual(found, expected, `${method} ${path}`);
    }
});

test('adding a path that our router cannot match is refused', () => {
  for (const path of ['/a/*', '/a/:b?', '/a/:b{[0-9]+}', '*'])
    assert.throws(() => new SegmentRouter().add('GET', path, {}), Error);
});
