import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { readAllowList } from '../../shared/adapters/egress/allow-list.ts';
import { createSafeFetch } from '../../shared/adapters/egress/safe-fetch.ts';
import type { JsonObject } from '../../shared/kernel/json.ts';
import { checkSchema, validatorFor } from '../../shared/kernel/json-schema.ts';
import type { CallContext } from '../../shared/kernel/ports.ts';
import { buildRequest } from '../../shared/sources/openapi/build-request.ts';
import { readDocument } from '../../shared/sources/openapi/document.ts';
import { mergeInputs } from '../../shared/sources/openapi/inputs.ts';
import { listOperations } from '../../shared/sources/openapi/operations.ts';
import { openApiUpstream } from '../../shared/sources/openapi/upstream.ts';
import { anyText } from '../support/any-text.ts';
import { tries } from '../support/sampling.ts';

const NOTHING = { headers: {}, query: {} };
const BASE = new URL('https://api.example/openapi.json');

const documentOf = (paths: JsonObject, rest: JsonObject = {}) => ({ openapi: '3.1.0', paths, ...rest });

/** The only operation of a document, with its inputs. */
const only = (operation: JsonObject, path = '/x', method = 'post', rest: JsonObject = {}) => {
  const document = readDocument(
    JSON.stringify(documentOf({ [path]: { [method]: { operationId: 'op', ...operation } } }, rest)),
  );
  const { operations, problems } = listOperations(document, BASE);
  assert.deepEqual(problems, []);
  const [found] = operations;
  assert.ok(found);
  const inputs = mergeInputs(document, found);
  checkSchema(inputs.parameters, 'parameters');
  return { operation: found, inputs, request: (args: JsonObject) => buildRequest(found, inputs, args, NOTHING) };
};

const parameter = (place: string, style: string, explode: boolean, more: JsonObject = {}) => ({
  name: 'color',
  in: place,
  style,
  explode,
  required: true,
  schema: {},
  ...more,
});

const LIST = ['blue', 'black', 'brown'];
const OBJECT = { R: 100, G: 200, B: 150 };

/** The table "Style Examples" of the OpenAPI specification 3.1.1. */
const styles: readonly (readonly [string, string, boolean, string | undefined, string, string | undefined])[] = [
  ['path', 'simple', false, 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  ['path', 'simple', true, 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  ['path', 'label', false, '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
  ['path', 'label', true, '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
  ['path', 'matrix', false, ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
  ['path', 'matrix', true, ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
  ['query', 'form', false, 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
  ['query', 'form', true, 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  ['query', 'spaceDelimited', false, undefined, 'color=blue%20black%20brown', 'color=R%20100%20G%20200%20B%20150'],
  ['query', 'pipeDelimited', false, undefined, 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200%7CB%7C150'],
  ['query', 'deepObject', true, undefined, '', 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
];

describe('OpenAPI parameters', () => {
  for (const [place, style, explode, text, list, object] of styles)
    test(`parameters in ${place} of style ${style}, ${explode ? 'exploded' : 'not exploded'}, are serialised as OpenAPI specifies`, () => {
      const path = place === 'path' ? '/a/{color}' : '/a';
      const { request } = only({ parameters: [parameter(place, style, explode)] }, path, 'get');
      const written = (color: unknown): string => {
        const { url } = request({ color });
        return place === 'path' ? url.pathname.slice(3) : url.search.slice(1);
      };

      if (text !== undefined) assert.equal(written('blue'), text);
      if (list !== '') assert.equal(written(LIST), list);
      if (object !== undefined) assert.equal(written(OBJECT), object);
    });

  test('parameters in headers and cookies are sent as text, and as JSON where the document says so', () => {
    const { request } = only(
      {
        parameters: [
          { name: 'X-List', in: 'header', schema: {} },
          { name: 'session', in: 'cookie', schema: {} },
          { name: 'filter', in: 'query', content: { 'application/json': { schema: {} } } },
          { name: 'Authorization', in: 'header', schema: {} },
        ],
      },
      '/x',
      'get',
    );
    const { url, init } = request({ 'X-List': [1, 2], session: 'a b', filter: { a: [1] } });
    const headers = new Headers(init.headers);

    assert.deepEqual([headers.get('x-list'), headers.get('cookie')], ['1,2', 'session=a%20b']);
    assert.equal(url.search, '?filter=%7B%22a%22%3A%5B1%5D%7D');
    assert.throws(() => request({ 'X-List': 'a\r\nHost: evil' }), { name: 'InvalidInput' });
  });

  test('parameters cannot escape their path, host or parameter', () => {
    const { request } = only(
      { parameters: [parameter('path', 'simple', false), { name: 'q', in: 'query', allowReserved: true, schema: {} }] },
      '/a/{color}/b',
      'get',
    );

    for (const color of ['..', '.', '']) assert.throws(() => request({ color }), { name: 'InvalidInput' }, color);
    fc.assert(
      fc.property(anyText({ minLength: 1 }), anyText(), (color, q) => {
        fc.pre(color !== '.' && color !== '..' && color.isWellFormed() && q.isWellFormed());
        const { url } = request({ color, q });
        assert.equal(url.origin, BASE.origin);
        assert.match(url.pathname, /^\/a\/[^/]+\/b$/);
        assert.deepEqual([...url.searchParams], [['q', q]]);
        assert.equal(decodeURIComponent(url.pathname.split('/')[2] ?? ''), color);
      }),
    );
  });
});

const text = fc.string({ maxLength: 8 });
const scalar = fc.oneof(text, fc.integer(), fc.boolean());
const names = fc.uniqueArray(fc.constantFrom('id', 'name', 'body', 'a-b', 'ünï', '__x', 'query_id'), { maxLength: 4 });

const FORM = 'application/x-www-form-urlencoded';
const parameters = fc.uniqueArray(
  fc.tuple(fc.constantFrom('path', 'query', 'header'), fc.constantFrom('id', 'name', 'body', 'a-b')),
  { maxLength: 5, selector: (pair) => pair.join(' ') },
);
interface SentBody {
  readonly fields: readonly string[];
  readonly isRequired: boolean;
  readonly isOpen: boolean;
  readonly type: string;
}
const body: fc.Arbitrary<SentBody> = fc.record({
  fields: names,
  isRequired: fc.boolean(),
  isOpen: fc.boolean(),
  type: fc.constantFrom('application/json', FORM),
});

const bodyOf = ({ fields, isRequired, isOpen, type }: SentBody): JsonObject => {
  const properties = Object.fromEntries(fields.map((name) => [name, {}]));
  const schema = { type: 'object', properties, additionalProperties: isOpen };
  return { required: isRequired, content: { [type]: { schema } } };
};

/** What a place can hold: a path has no empty part, and a header no space around it. */
const valueFor = (place: string, value: unknown): unknown => {
  if (place === 'query' || typeof value !== 'string') return value;
  return `v${value.replace(/[^\x21-\x7e]/g, '')}`;
};

const arrivedIn = (place: string, name: string, url: URL, init: RequestInit): readonly (string | null)[] => {
  if (place === 'query') return url.searchParams.getAll(name);
  return place === 'header' ? [new Headers(init.headers).get(name)] : url.pathname.split('/').map(decodeURIComponent);
};

const fieldsIn = (type: string, sent: unknown): unknown =>
  type === FORM ? Object.fromEntries(new URLSearchParams(String(sent))) : JSON.parse(String(sent));

const textsOf = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));

describe('OpenAPI arguments', () => {
  test('parameters and body become one schema, and every value is sent unchanged in its place', () => {
    fc.assert(
      fc.property(parameters, fc.option(body), fc.infiniteStream(scalar), (given, sent, values) => {
        const path = `/x${given.flatMap(([place, name]) => (place === 'path' ? [`/{${name}}`] : [])).join('')}`;
        const { inputs, request } = only(
          {
            parameters: given.map(([place, name]) => ({ name, in: place, required: true, schema: {} })),
            ...(sent ? { requestBody: bodyOf(sent) } : {}),
          },
          path,
        );
        const fields = Object.fromEntries((sent?.fields ?? []).map((name) => [name, values.next().value]));
        const args: Record<string, unknown> = inputs.body === null ? { ...fields } : {};
        for (const { argument, parameter: each } of inputs.slots)
          args[argument] = valueFor(each.in, values.next().value);
        if (typeof inputs.body === 'string') args[inputs.body] = fields;
        assert.deepEqual(validatorFor(inputs.parameters)(args).issues, []);

        const { url, init } = request(args);
        for (const { argument, parameter: each } of inputs.slots)
          assert.ok(arrivedIn(each.in, each.name, url, init).includes(String(args[argument])), argument);
        if (sent) assert.deepEqual(fieldsIn(sent.type, init.body), sent.type === FORM ? textsOf(fields) : fields);
        else assert.equal(init.body, null);
      }),
      { numRuns: tries(30, 1000), seed: 15 },
    );
  });

  test('fields of a plain body are arguments beside the parameters, unless names collide or the body is optional', () => {
    const schema = {
      type: 'object',
      properties: { id: {}, note: {} },
      required: ['note'],
      additionalProperties: false,
    };
    const requestBody = { required: true, content: { 'application/json': { schema } } };
    const query = (name: string) => [{ name, in: 'query', schema: { type: 'string' } }];

    assert.deepEqual(only({ parameters: query('q'), requestBody }).inputs.parameters, {
      type: 'object',
      properties: { q: { type: 'string' }, id: {}, note: {} },
      required: ['note'],
      additionalProperties: false,
    });
    assert.equal(only({ parameters: query('id'), requestBody }).inputs.body, 'body');
    assert.equal(only({ requestBody: { ...requestBody, required: false } }).inputs.body, 'body');
  });

  test('arguments with one name in two places are prefixed by their place', () => {
    const { inputs, request } = only(
      { parameters: ['path', 'query'].map((place) => ({ name: 'id', in: place, required: true, schema: {} })) },
      '/a/{id}',
      'get',
    );

    assert.deepEqual(Object.keys(inputs.parameters.properties as object), ['path_id', 'query_id']);
    assert.equal(request({ path_id: 1, query_id: 2 }).url.href, 'https://api.example/a/1?id=2');
  });
});

describe('OpenAPI schemas', () => {
  const inputOf = (openapi: string, schema: JsonObject, schemas: JsonObject = {}) => {
    const document = readDocument(
      JSON.stringify({
        openapi,
        paths: {
          '/x': { post: { operationId: 'op', requestBody: { content: { 'application/json': { schema } } } } },
        },
        components: { schemas },
      }),
    );
    const [operation] = listOperations(document, BASE).operations;
    assert.ok(operation);
    const { parameters } = mergeInputs(document, operation);
    checkSchema(parameters, 'parameters');
    return parameters;
  };

  test('OpenAPI 3.0 schemas become JSON Schema: nullable, exclusive bounds, bytes and examples', () => {
    const { properties } = inputOf(
      '3.0.3',
      {
        type: 'object',
        required: ['id', 'a'],
        properties: {
          id: { type: 'string', readOnly: true },
          a: {
            type: 'integer',
            nullable: true,
            minimum: 1,
            exclusiveMinimum: true,
            maximum: 9,
            exclusiveMaximum: false,
          },
          b: { type: 'string', enum: ['x'], nullable: true, example: 'x' },
          c: { nullable: true, allOf: [{ $ref: '#/components/schemas/C' }] },
          d: { type: 'string', format: 'byte' },
        },
      },
      { C: { type: 'boolean' } },
    );

    assert.deepEqual((properties as JsonObject).body, {
      type: 'object',
      required: ['a'],
      properties: {
        id: { type: 'string' },
        a: { type: ['integer', 'null'], exclusiveMinimum: 1, maximum: 9 },
        b: { type: ['string', 'null'], enum: ['x', null], examples: ['x'] },
        c: { anyOf: [{ allOf: [{ $ref: '#/$defs/C' }] }, { type: 'null' }] },
        d: { type: 'string', contentEncoding: 'base64' },
      },
    });
  });

  test('recursive OpenAPI schemas stay recursive, and only referenced definitions are included', () => {
    const parameters = inputOf(
      '3.1.0',
      { $ref: '#/components/schemas/Node' },
      {
        Node: {
          type: 'object',
          properties: { next: { $ref: '#/components/schemas/Node' } },
          additionalProperties: false,
        },
        Other: { type: 'string' },
      },
    );

    assert.deepEqual(Object.keys(parameters.$defs as object), ['Node']);
    const validate = validatorFor(parameters);
    assert.deepEqual(validate({ body: { next: { next: {} } } }).issues, []);
    assert.equal(validate({ body: { next: { other: 1 } } }).issues.length, 1);
  });
});

describe('unusable OpenAPI documents', () => {
  const problemsOf = (paths: JsonObject, rest: JsonObject = {}) =>
    listOperations(readDocument(JSON.stringify(documentOf(paths, rest))), BASE).problems.map(({ reason }) => reason);

  test('an unusable OpenAPI document is refused, saying what it is instead', () => {
    for (const [given, message] of [
      ['', /not JSON/],
      ['openapi: 3.0.0', /YAML; give it as JSON/],
      ['{"swagger":"2.0"}', /Swagger 2/],
      ['{"openapi":"4.0.0"}', /its field openapi is "4.0.0"/],
      ['{"openapi":"3.1.0"}', /has no paths/],
      ['[]', /not a JSON object/],
    ] as const)
      assert.throws(() => readDocument(given), { name: 'InvalidInput', message }, given);
  });

  test('operations that cannot be called are reported by name, and the document’s others are kept', () => {
    const elsewhere = [{ url: 'https://evil.example/v1' }];
    assert.deepEqual(
      problemsOf({
        '/a': { get: { operationId: 'same' }, put: { operationId: 'same' } },
        '/b': { get: { servers: elsewhere } },
        '/c': { $ref: '#/paths/~1c' },
        '/d': { get: { parameters: [{ $ref: 'other.json#/x' }] } },
        '/e/{id}': { get: {} },
        '/f': { get: { parameters: [{ name: 'x', in: 'body' }] } },
      }).map((reason) => reason.replace(/;.*/, '')),
      [
        'PUT /a: another operation has the same operationId',
        "GET /b: its server is https://evil.example, which is not the source's own (https://api.example)",
        '/c: a reference refers to itself',
        'GET /d: it refers to another document, "other.json#/x"',
        'GET /e/{id}: its path has {id}, and no parameter says what that is',
        'GET /f: it has a parameter in "body", which is not known',
      ],
    );
  });

  test('importing an OpenAPI document sends no request to its servers', () => {
    const servers = fc.array(fc.record({ url: fc.oneof(fc.webUrl(), fc.string(), fc.constant('//evil.example/')) }));
    fc.assert(
      fc.property(servers, fc.string(), (list, path) => {
        const document = readDocument(JSON.stringify(documentOf({ [`/${path}`]: { get: {} } }, { servers: list })));
        for (const operation of listOperations(document, BASE).operations) {
          if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path.split('?')[0] ?? '')) continue;
          const { url } = buildRequest(operation, mergeInputs(document, operation), {}, NOTHING);
          assert.equal(url.origin, BASE.origin);
        }
      }),
    );
  });

  test('an OpenAPI document of any shape is imported, refused or has problems, without crashing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (paths) => {
        listOperations(readDocument(JSON.stringify(documentOf(paths as JsonObject))), BASE);
      }),
    );
  });
});

describe('calling an imported API', () => {
  const seen: { method?: string; url?: string; headers?: NodeJS.Dict<string | string[]>; body?: Buffer }[] = [];
  const paths = {
    '/echo': {
      post: {
        operationId: 'upload',
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: {
                  picture: { type: 'string', format: 'binary' },
                  tags: { type: 'array', items: { type: 'string' } },
                  about: { type: 'object' },
                },
              },
            },
          },
        },
      },
    },
    '/picture': {
      get: { operationId: 'picture' },
      put: { operationId: 'put', requestBody: { content: { 'image/png': {} } } },
    },
    '/form': { get: { operationId: 'form' } },
    '/none': { delete: { operationId: 'none' } },
    '/secret': { get: { operationId: 'secret' } },
    '/fails': { get: { operationId: 'fails' } },
  };
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    seen.push({ method, url, headers, body: await buffer(request) });
    const answer = (type: string, body: string | Buffer, status = 200) =>
      response.writeHead(status, { 'content-type': type }).end(body);
    if (url === '/openapi.json')
      return answer('application/json', JSON.stringify(documentOf(paths, { servers: [{ url: '/api' }] })));
    if (url === '/api/picture') return answer('image/png', Buffer.from([1, 2, 3]));
    if (url === '/api/form') return answer('application/x-www-form-urlencoded', 'a=1&b=2&b=3');
    if (url === '/api/none') return response.writeHead(204).end();
    if (url === '/api/secret') return answer('application/json', JSON.stringify({ you_sent: headers.authorization }));
    if (url === '/api/fails') return answer('text/plain', `no such thing, ${headers.authorization}`, 404);
    return answer('text/plain', 'done');
  });
  after(() => server.close());
  const open = async () => {
    if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const upstream = openApiUpstream({
      url: `http://${host}/openapi.json`,
      fetch: createSafeFetch({ allowed: readAllowList(host) }),
      credentials: async () => ({ headers: { authorization: 'Bearer s3cr3t-token' }, query: {} }),
    });
    const context = { signal: AbortSignal.timeout(10_000) } as CallContext;
    return { upstream, call: (tool: string, args: JsonObject = {}) => upstream.call(tool, args, context) };
  };

  test('an imported API has one tool per operation, with hints by its method', async () => {
    const { tools, problems } = await (await open()).upstream.list(AbortSignal.timeout(10_000));

    assert.deepEqual(problems, []);
    assert.deepEqual(tools.map(({ name }) => name).sort(), [
      'fails',
      'form',
      'none',
      'picture',
      'put',
      'secret',
      'upload',
    ]);
    assert.equal(tools.find(({ name }) => name === 'picture')?.annotations?.readOnlyHint, true);
  });

  test('an imported API’s JSON, text, forms and bytes are returned', async () => {
    const { call } = await open();

    assert.deepEqual(await call('picture'), { content_type: 'image/png', bytes: 3, base64: 'AQID' });
    assert.deepEqual(await call('form'), { a: '1', b: ['2', '3'] });
    assert.equal(await call('none'), null);
    assert.equal(await call('upload', { tags: [] }), 'done');
  });

  test('an imported API gets multipart forms and bytes unchanged', async () => {
    const { call } = await open();
    await call('upload', { picture: 'AQID', tags: ['a', 'b'], about: { x: 1 } });

    const sent = seen.at(-1);
    const form = await new Response(new Uint8Array(sent?.body ?? []), {
      headers: { 'content-type': String(sent?.headers?.['content-type']) },
    }).formData();
    assert.deepEqual(form.getAll('tags'), ['a', 'b']);
    assert.deepEqual(JSON.parse(await (form.get('about') as File).text()), { x: 1 });
    assert.deepEqual(Buffer.from(await (form.get('picture') as File).arrayBuffer()), Buffer.from([1, 2, 3]));

    await call('put', { body: 'AQID' });
    assert.deepEqual(
      [seen.at(-1)?.body, seen.at(-1)?.headers?.['content-type']],
      [Buffer.from([1, 2, 3]), 'image/png'],
    );
    await assert.rejects(call('put', { body: 'no base64!' }), { name: 'InvalidInput' });
  });

  test('X.17 an imported API’s responses and errors never show the secrets it was sent', async () => {
    const { call } = await open();

    assert.deepEqual(await call('secret'), { you_sent: '[secret]' });
    await assert.rejects(call('fails'), ({ name, message }: Error) => {
      assert.deepEqual([name, message], ['ToolExecutionError', 'GET /fails answered 404: no such thing, [secret]']);
      return true;
    });
  });
});
