import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testAssay } from '../support/assay.ts';

describe('limits of one tenant', () => {
  test('X.07 a tenant holds fifty streams open at most, and closing one makes room', async () => {
    const { app, key } = await testAssay();
    const [loud, polite] = [
      await key({ scopes: ['read'], tenant: 'loud' }),
      await key({ scopes: ['read'], tenant: 'polite' }),
    ];
    const open = async (as: string, path: string): Promise<Response> =>
      app.request(path, { headers: { authorization: `Bearer ${as}`, accept: 'text/event-stream' } });
    const streams: Response[] = [];
    while (streams.length < 50) streams.push(await open(loud, streams.length % 2 ? '/v1/events' : '/v1/summary'));

    const refused = await open(loud, '/v1/events');
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '30');
    assert.match(await refused.text(), /50 streams of this tenant are open already/);
    const other = await open(polite, '/v1/summary');
    assert.equal(other.status, 200);

    await Promise.all([...streams, other].map((stream) => stream.body?.cancel()));
    while ((await open(loud, '/v1/summary').then(closed)) === 429) await new Promise((wake) => setTimeout(wake, 50));
  });

  test('X.06 a model response with more calls than results are accepted for is refused', async () => {
    const { app, key } = await testAssay();
    const headers = { authorization: `Bearer ${await key({ scopes: ['read'] })}` };
    const lines = (count: number) =>
      '{"message":{"tool_calls":[{"function":{"name":"hash","arguments":{}}}]}}\n'.repeat(count);
    const read = (count: number) =>
      app.request('/v1/providers/ollama/calls', { method: 'POST', headers, body: lines(count) });

    assert.equal((await read(1000)).status, 200);
    const refused = await read(1001);
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /asks for 1001 calls; at most 1000 are read/);
  });
});

const closed = async (stream: Response): Promise<number> => {
  await stream.body?.cancel();
  return stream.status;
};
