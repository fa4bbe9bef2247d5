import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { PlainHeaders } from '../../functions/api/lambda/plain-headers.ts';
import { PlainRequest } from '../../functions/api/lambda/plain-request.ts';
import { PlainResponse } from '../../functions/api/lambda/plain-response.ts';

const kinds = { plain: PlainHeaders, real: Headers } as const;

/** What plain and real ones do when the same is done to them. */
const both = <T>(act: (Kind: typeof Headers) => T): readonly [plain: T, real: T] => [
  act(kinds.plain as unknown as typeof Headers),
  act(kinds.real),
];

const thrown = (act: () => unknown): string | undefined => {
  try {
    act();
    return undefined;
  } catch (error) {
    return (error as Error).name;
  }
};

describe('our Headers class', () => {
  test('our Headers get, set and list as those of fetch do', () => {
    const [plain, real] = both((Kind) => {
      const headers = new Kind({ 'X-B': ' b\t', 'x-a': '1', Accept: 'text/html' });
      headers.append('X-A', '2');
      headers.append('Set-Cookie', 'a=1');
      headers.append('set-cookie', 'b=2');
      headers.set('accept', '*/*');
      headers.delete('X-b');
      const seen: string[] = [];
      headers.forEach((value, name) => void seen.push(`${name}: ${value}`));
      return [
        [...headers],
        [...headers.keys()],
        [...headers.values()],
        headers.getSetCookie(),
        headers.get('X-A'),
        headers.get('set-cookie'),
        headers.get('x-b'),
        headers.has('ACCEPT'),
        seen,
        [...new Kind(headers)],
        [...new Kind([['q', 'é']])],
      ];
    });

    assert.deepEqual(plain, real);
  });

  test('our Headers refuse what those of fetch refuse', () => {
    const bad: readonly (readonly [string, string])[] = [
      ['', 'a'],
      ['a b', 'a'],
      ['a', 'b\r\nc: d'],
      ['a', '\0'],
      ['a', '€'],
    ];
    for (const [name, value] of bad) {
      const [plain, real] = both((Kind) => thrown(() => new Kind().set(name, value)));
      assert.equal(real, 'TypeError');
      assert.equal(plain, real, JSON.stringify([name, value]));
    }
    assert.throws(() => new PlainHeaders().get('a b'), TypeError);
    assert.throws(() => new PlainHeaders([['a']] as never), TypeError);
  });
});

describe('our Response class', () => {
  const Plain = PlainResponse as unknown as typeof Response;
  const form = () => {
    const data = new FormData();
    data.set('a', 'b');
    return data;
  };
  const stream = () => new Blob(['streamed']).stream();
  const makers: Readonly<Record<string, (Kind: typeof Response) => Response>> = {
    nothing: (Kind) => new Kind(),
    'a text': (Kind) => new Kind('text é'),
    'a text with a type': (Kind) => new Kind('{}', { status: 201, headers: { 'content-type': 'application/json' } }),
    bytes: (Kind) => new Kind(new Uint8Array([104, 105])),
    json: (Kind) => Kind.json({ a: 1 }, { status: 404, headers: { 'x-a': 'b' } }),
    'no content': (Kind) => new Kind(null, { status: 204, statusText: 'None' }),
    'a stream': (Kind) => new Kind(stream(), { headers: { 'content-type': 'text/event-stream' } }),
    'a search': (Kind) => new Kind(new URLSearchParams({ a: 'b' })),
    'a copy': (Kind) => new Kind('whole').clone(),
    'a copy of a stream': (Kind) => new Kind(stream()).clone(),
    'another’s headers': (Kind) => new Kind('b', new Kind('a', { status: 202, headers: { 'x-a': 'b' } })),
    'a way on': (Kind) => Kind.redirect('https://example.com/a', 307),
  };

  for (const [what, make] of Object.entries(makers))
    test(`our Response with ${what} equals that of fetch`, async () => {
      const seen = async (response: Response) => [
        response.status,
        response.ok,
        response.statusText,
        [...response.headers],
        response.body === null,
        response.bodyUsed,
        await response.text(),
        response instanceof PlainResponse,
      ];

      assert.deepEqual(await seen(make(Plain)), await seen(make(Response)));
    });

  test('our Response is read as text like that of fetch, once', async () => {
    const bodies = ['{"a":"é"}', '\uFEFF{"a":1}', '"a\uD800"', new TextEncoder().encode('\uFEFF[1]')];
    for (const body of bodies) {
      const [plain, real] = [Plain, Response].map((Kind) => new Kind(body)) as [Response, Response];
      assert.deepEqual(await plain.json(), await real.json());
      assert.equal(await new Plain(body).text(), await new Response(body).text());
      assert.ok(plain.bodyUsed);
      for (const again of ['text', 'json', 'bytes'] as const) await assert.rejects(plain[again](), TypeError);
      assert.throws(() => plain.clone(), TypeError);
    }
    const none = new Plain(null, { status: 204 });
    assert.equal((await none.text()) + (await none.text()), '');
    assert.equal(none.bodyUsed, false);
  });

  test('our Response is read once, and a form is read by its type', async () => {
    const response = new Plain('once');
    await response.arrayBuffer();
    assert.ok(response.bodyUsed);
    await assert.rejects(response.text(), TypeError);

    assert.equal((await new Plain(form()).formData()).get('a'), 'b');
    const sent = new Plain('a=b', { headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    assert.equal((await sent.formData()).get('a'), 'b');
  });

  test('our Response refuses a status out of range and a body where none is allowed', () => {
    assert.throws(() => new Plain('', { status: 600 }), RangeError);
    assert.throws(() => new Plain('a', { status: 204 }), TypeError);
    assert.throws(() => Plain.redirect('https://example.com', 200), RangeError);
  });

  test('our Response gives its body without consuming it until somebody has read it', async () => {
    const response = new Plain('body');
    assert.equal(PlainResponse.bodyOf(response), 'body');
    await response.text();
    assert.equal(PlainResponse.bodyOf(response), undefined);
    assert.equal(PlainResponse.bodyOf(new Response('real')), undefined);
  });
});

describe('our Request class', () => {
  const headers = new PlainHeaders({ 'content-type': 'application/json' });
  const request = new PlainRequest({
    url: 'https://a.example/b?c=d',
    method: 'POST',
    headers,
    body: Buffer.from('{"a":"é"}'),
  }) as unknown as Request;

  test('our Request reads its body in every form, and streams it', async () => {
    assert.deepEqual(await request.json(), { a: 'é' });
    assert.equal((await request.arrayBuffer()).byteLength, 10);
    assert.equal(await request.clone().text(), '{"a":"é"}');
    assert.equal(await new Response(request.body).text(), '{"a":"é"}');
    assert.equal(request.signal.aborted, false);
  });

  test('our Request behaves at another URL as that of fetch does', async () => {
    const real = new Request('https://a.example/b', { method: 'POST', body: 'x', headers: { 'x-a': 'b' } });
    for (const one of [request, real]) {
      const moved = PlainRequest.at(one, new URL('https://other.example/b'));
      assert.equal(moved.url, 'https://other.example/b');
      assert.equal(moved.method, 'POST');
      assert.deepEqual([...moved.headers], [...one.headers]);
    }
  });
});

test('answering a Lambda event does not load fetch', async () => {
  const from = (file: string) => new URL(`../../functions/api/lambda/${file}`, import.meta.url).href;
  const script = `
    import { Writable } from 'node:stream';
    import { installPlainResponse } from '${from('plain-response.ts')}';
    import { streamHandler } from '${from('stream-handler.ts')}';
    globalThis.awslambda = { streamifyResponse: (handler) => handler, HttpResponseStream: { from: (stream, head) => (stream.head = head, stream) } };
    installPlainResponse();
    const written = [];
    const stream = new Writable({ write: (chunk, _, done) => (written.push(chunk), done()) });
    const handler = streamHandler(async (request) => Response.json({ url: request.url, sent: await request.json(), cookie: request.headers.get('cookie') }, { headers: { 'set-cookie': 'x=y' } }));
    await handler({ rawPath: '/a', rawQueryString: 'b=c', headers: { 'X-A': 'é' }, cookies: ['c=d'], body: btoa('{"a":1}'), isBase64Encoded: true, requestContext: { domainName: 'a.example', http: { method: 'POST' } } }, stream, {});
    console.log(JSON.stringify({ head: stream.head, body: Buffer.concat(written).toString(), fetch: process.moduleLoadList.some((name) => name.includes('undici')) }));`;

  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);

  const { head, body, fetch } = JSON.parse(stdout);
  assert.deepEqual(head, { statusCode: 200, headers: { 'content-type': 'application/json' }, cookies: ['x=y'] });
  assert.deepEqual(JSON.parse(body), { url: 'https://a.example/a?b=c', sent: { a: 1 }, cookie: 'c=d' });
  assert.equal(fetch, false);
});
