import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import type { ScoreReport } from '../../shared/iqa/score.ts';
import { toDefinitions } from '../../shared/iqa/to-definitions.ts';
import { imageBlobKey } from '../../shared/kernel/item-keys.ts';
import { ADMIN_KEY, type TestAssay, testAssay } from '../support/assay.ts';
import { goldenImage, testEngine, testIqa } from '../support/iqa.ts';

const image = goldenImage('chelsea_jpeg_2.png');
const reference = goldenImage('chelsea.png');
const base64 = (bytes: Uint8Array) => ({ base64: Buffer.from(bytes).toString('base64') });

interface Refusal {
  readonly error: { readonly code: string; readonly message: string };
}

describe('scoring over HTTP', () => {
  const engine = testEngine();
  const blobs = memoryBlobs();
  let server: TestAssay;
  before(async () => {
    const table = memoryTable();
    const { privateKey: signingKey } = generateKeyPairSync('ed25519');
    const iqa = testIqa({ engine, table, blobs, signingKey });
    const definitions = toDefinitions(iqa.catalogue.tools.filter(({ name }) => ['ssim', 'niqe'].includes(name)));
    server = await testAssay({
      table,
      blobs,
      iqa,
      handlers: { builtin: new Map(), internal: iqa.handlers },
      discover: async () => [{ kind: 'shipped', source: 'assay', definitions }],
    });
  });
  after(() => engine.close());

  test('R0.04 R0.14 a pair sent as JSON gets raw and normalised scores with a hallmark', async () => {
    const { status, body } = await server.json<ScoreReport>('POST', '/v1/score', {
      image: base64(image.bytes),
      reference: base64(reference.bytes),
      tools: ['SSIM', 'psnr'],
    });

    assert.equal(status, 200);
    assert.deepEqual(
      body.scores.map(({ tool }) => tool),
      ['ssim', 'psnr'],
    );
    assert.ok(Math.abs((body.scores[0]?.raw ?? 0) - 0.89951563) < 2e-5);
    assert.ok((body.scores[0]?.normalized ?? 0) > 1 && body.scores[0]?.hallmark);
  });

  test('R0.16 with a reference and a distortion, scoring chooses and runs full- and no-reference tools', async () => {
    const form = new FormData();
    form.set('image', new File([image.bytes], 'image.png'));
    form.set('reference', new File([reference.bytes], 'reference.png'));
    form.set('distortions', 'Compression');
    const response = await server.app.request('/v1/score', {
      method: 'POST',
      headers: { 'x-api-key': ADMIN_KEY },
      body: form,
    });
    const { scores } = (await response.json()) as ScoreReport;

    assert.equal(response.status, 200);
    assert.deepEqual(
      scores.map(({ tool, error }) => `${tool}${error ? ` ${error.message}` : ''}`),
      ['haarpsi', 'ssimulacra2', 'gmsd', 'brisque', 'piqe'],
    );
  });

  test('a streamed score sends each score when it is computed, and the whole answer last', async () => {
    const ask = async (tools: readonly string[]) => {
      const body = JSON.stringify({ image: base64(image.bytes), reference: base64(reference.bytes), tools });
      const headers = { 'content-type': 'application/json', accept: 'application/x-ndjson', 'x-api-key': ADMIN_KEY };
      return server.app.request('/v1/score', { method: 'POST', headers, body });
    };

    const response = await ask(['psnr', 'gmsd', 'nosuch']);
    const lines = (await response.text()).trim().split('\n');
    const parts = lines.map((line) => JSON.parse(line) as { score?: { tool: string } } & ScoreReport);
    assert.deepEqual(parts.map(({ score }) => score?.tool ?? '').sort(), ['', 'gmsd', 'psnr']);
    assert.deepEqual(
      parts.at(-1)?.scores.map(({ tool }) => tool),
      ['psnr', 'gmsd', 'nosuch'],
    );

    const refused = await ask(['nosuch']);
    assert.equal(refused.status, 404);
    assert.match(await refused.text(), /there is no image-quality tool nosuch/);
  });

  test('R0.13 the second score comes from the cache, and is counted as a hit', async () => {
    const ask = () =>
      server.json<ScoreReport>('POST', '/v1/score', { image: base64(reference.bytes), tools: ['entropy'] });
    await ask();

    assert.equal((await ask()).body.scores[0]?.cached, true);
    const { body } = await server.json<{ hits: number; hit_rate: number }>('GET', '/v1/iqa/cache');
    assert.ok(body.hits >= 1 && body.hit_rate > 0);
  });

  test('R0.05 scoring accepts multipart forms', async () => {
    const form = new FormData();
    form.set('image', new Blob([Uint8Array.from(reference.bytes)]), 'cat.png');
    form.set('tools', 'niqe, entropy');

    const response = await server.app.request('/v1/score', {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
    });

    assert.equal(response.status, 200);
    assert.deepEqual(
      ((await response.json()) as ScoreReport).scores.map(({ tool }) => tool),
      ['niqe', 'entropy'],
    );
  });

  test('X.06 a multipart body of many parts or long heads is refused before it is parsed, however its type names the boundary', async () => {
    const post = async (body: string, type: string, more: Readonly<Record<string, string>> = {}) => {
      const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': type, ...more };
      const response = await server.app.request('/v1/score', { method: 'POST', body, headers });
      return ((await response.json()) as Refusal).error.message;
    };
    const part = (head: string) => `--x\r\nContent-Disposition: form-data; name="a"${head}\r\n\r\n1\r\n`;
    const many = `${part('').repeat(101)}--x--\r\n`;
    const types = [
      'multipart/form-data; boundary=x',
      'Multipart/Form-Data; a=b; BOUNDARY="x"',
      'multipart/form-data; a="; boundary=y"; boundary=x',
    ];

    for (const type of types) {
      assert.match(await post(many, type), /^the multipart body has more than 100 parts; send fewer$/);
      assert.match(await post(many, type, { 'idempotency-key': type }), /has more than 100 parts/);
    }
    assert.match(
      await post(`${part('')}${part('\r\na: b'.repeat(5000))}--x--\r\n`, types[0] as string),
      /^part 2 of the multipart body has a head of more than 16 KB; shorten it$/,
    );
    assert.match(
      await post(`${part('').repeat(100)}--x--\r\n`, types[0] as string),
      /the form has no file in its field image/,
    );
    assert.match(await post('x', 'multipart/form-data'), /cannot be read; send the fields image, reference/);
  });

  test('R0.16 tools are chosen by distortion, and the best set without one', async () => {
    const scored = async (body: object) =>
      (await server.json<ScoreReport>('POST', '/v1/score', body)).body.scores.map(({ tool }) => tool);

    assert.ok((await scored({ image: base64(image.bytes), distortions: ['compression'] })).length > 0);
    assert.ok(
      (await scored({ image: base64(image.bytes) })).every((tool) => ['niqe', 'brisque', 'piqe'].includes(tool)),
    );
  });

  test('C.03 a stored picture is scored by its key, within its tenant', async () => {
    await blobs.put(imageBlobKey('default', 'cat.png'), reference.bytes, 'image/png');
    const other = await server.key({ scopes: ['invoke'], tenant: 'acme' });

    assert.equal(
      (await server.json('POST', '/v1/score', { image: { key: 'cat.png' }, tools: ['entropy'] })).status,
      200,
    );
    assert.equal(
      (await server.json('POST', '/v1/score', { image: { key: 'cat.png' }, tools: ['entropy'] }, other)).status,
      404,
    );
    assert.equal(
      (await server.json('POST', '/v1/score', { image: { key: '../default/cat.png' }, tools: ['entropy'] }, other))
        .status,
      400,
    );
  });

  test('image tools are ordinary tools of the registry and can be invoked', async () => {
    const { body } = await server.json<{ status: string; output: { raw: number } }>('POST', '/v1/tools/ssim/invoke', {
      arguments: { image: base64(image.bytes), reference: base64(reference.bytes) },
    });

    assert.equal(body.status, 'ok');
    assert.ok(Math.abs(body.output.raw - 0.89951563) < 2e-5);
  });

  test('the API renders the quality map as a PNG', async () => {
    const response = await server.request('POST', '/v1/score/map?tool=gmsd', {
      image: base64(image.bytes),
      reference: base64(reference.bytes),
    });

    assert.equal(response.headers.get('content-type'), 'image/png');
    assert.deepEqual([...new Uint8Array(await response.arrayBuffer()).slice(1, 4)], [0x50, 0x4e, 0x47]);
  });

  test('R0.07 a picture that cannot be scored is refused with the tool, the picture and what to do', async () => {
    const cases: readonly (readonly [object, number, RegExp])[] = [
      [{ image: base64(image.bytes), tools: ['ssim'] }, 400, /ssim .*reference/],

      [{ image: base64(image.bytes), tools: ['niqee'] }, 404, /did you mean niqe/],
      [{ image: base64(image.bytes), tools: ['topiq_nr'] }, 503, /assay models add topiq_nr/],
      [{ image: { base64: '!!!' } }, 400, /base64/],
      [{ image: { url: 'http://169.254.169.254/' } }, 400, /image/],
      [{ image: base64(new TextEncoder().encode('no picture')) }, 400, /cannot be read as a picture/],
      [{ image: base64(image.bytes), distortions: ['fog'] }, 400, /fog/],
      [{}, 400, /image/],
    ];
    for (const [body, status, message] of cases) {
      const answer = await server.json<Refusal>('POST', '/v1/score', body);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      assert.match(answer.body.error.message, message);
    }
  });

  test('R0.17 R0.18 GET lists all tools of a type, and which can run here', async () => {
    const list = async (query: string) =>
      (
        await server.json<{ tools: { name: string; type: string; available: boolean }[] }>(
          'GET',
          `/v1/iqa/tools?${query}`,
        )
      ).body.tools;

    const all = await list('type=FR');
    assert.ok(
      all.every(({ type }) => type === 'FR') && all.some(({ name, available }) => name === 'topiq_fr' && !available),
    );
    assert.ok((await list('available=true')).some(({ name }) => name === 'ssim'));
    const { keys } = (await (await server.app.request('/.well-known/assay-keys.json')).json()) as {
      keys: { crv: string }[];
    };
    assert.equal(keys[0]?.crv, 'Ed25519');
  });
});
