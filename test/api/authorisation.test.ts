import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { routes } from '../../functions/api/routes/table.ts';
import { type Listening, listen } from '../../functions/cli/listen.ts';
import { Scope } from '../../shared/model/key.ts';
import { ADMIN_KEY, testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

type Send = (path: string, init: RequestInit) => Response | Promise<Response>;

const MARKER = 'only_of_the_default_tenant';
const { app, json, key } = await testAssay();
await json('POST', '/v1/tools', aTool({ name: MARKER, tags: [MARKER] }));
const scoped = Object.fromEntries(
  await Promise.all(Scope.options.map(async (scope) => [scope, await key({ scopes: [scope] })] as const)),
);

/** Each route with the marked tool in place of its parameters. */
const calls = routes.map(({ method, path, scope }) => ({
  method: method === 'all' ? 'POST' : method.toUpperCase(),
  path: path.replaceAll(/:\w+/g, MARKER),
  scope,
}));

const request = (method: string, authorization: string | undefined): RequestInit => ({
  method,
  headers: {
    // The stream of events would not end.
    accept: 'application/json',
    ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
    ...(authorization === undefined ? {} : { authorization }),
  },
  ...(method === 'GET' ? {} : { body: '{}' }),
});

/** What the table promises for every route, asked for in one way. */
const promises = (send: Send): void => {
  const ask = async (call: (typeof calls)[number], authorization?: string) => {
    const response = await send(call.path, request(call.method, authorization));
    return { status: response.status, text: await response.text() };
  };

  for (const call of calls) {
    const name = `${call.method} ${call.path.replaceAll(MARKER, '…')}`;

    test(`X.01 ${name} is refused without a key and with a wrong one, unless it is public`, async () => {
      for (const authorization of [undefined, 'Bearer nonsense', `Bearer ${ADMIN_KEY}x`, 'Basic YTpi']) {
        const { status, text } = await ask(call, authorization);
        if (call.scope === 'public') assert.notEqual(status, 401, authorization);
        else assert.deepEqual([status, text.includes('Unauthenticated')], [401, true], authorization);
      }
    });

    test(`X.01 ${name} needs the scope ${call.scope}`, async () => {
      for (const scope of Scope.options) {
        const { status, text } = await ask(call, `Bearer ${scoped[scope]}`);
        const may =
          call.scope === 'public' ||
          call.scope === 'any' ||
          [call.scope].flat().includes(scope) ||
          scope === 'admin' ||
          (scope === 'tenant_admin' && call.scope === 'read');
        assert.notEqual(status, 401, scope);
        assert.equal(status === 403 && text.includes('this call needs'), !may, `${scope}: ${status} ${text}`);
        assert.notEqual(status, 500, text);
      }
    });
  }
};

describe('every route through app.request', () => {
  promises((path, init) => app.request(path, init));
});

describe('every route over a socket', () => {
  let server: Listening;
  before(async () => {
    server = await listen(app, '127.0.0.1', 0);
  });
  after(() => server.close());
  promises((path, init) => fetch(`${server.address}${path}`, init));
});

describe('callers that must not see a tool', () => {
  const strangers = {
    'another tenant’s admin': () => key({ scopes: ['admin'], tenant: 'stranger' }),
    'a key confined to other tools': () =>
      key({ scopes: ['read', 'invoke', 'write', 'approve'], tools: ['another_tool'] }),
  };
  for (const [who, makeKey] of Object.entries(strangers))
    test(`X.01 ${who} sees and changes nothing of the tool, on any route`, async () => {
      await json('POST', '/v1/tools', aTool({ name: MARKER, tags: [MARKER] }));
      const { body: before } = await json('GET', `/v1/tools/${MARKER}`);
      const stranger = `Bearer ${await makeKey()}`;
      for (const { method, path } of calls) {
        const response = await app.request(path.replaceAll(MARKER, 'x'), request(method, stranger));
        assert.ok(!(await response.text()).includes(MARKER), `${method} ${path}`);
      }
      // Afterwards: the audit log of a stranger has what it tried itself.
      for (const { method, path } of calls) await (await app.request(path, request(method, stranger))).text();
      assert.deepEqual((await json('GET', `/v1/tools/${MARKER}`)).body, before);
    });
});
