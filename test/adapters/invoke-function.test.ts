import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { invokeFunction } from '../../shared/adapters/aws/invoke-function.ts';

describe('invoking a Lambda function', () => {
  let status = 202;
  const seen: { readonly headers: NodeJS.Dict<string | string[]>; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    seen.push({ headers: request.headers, body: await text(request) });
    response.statusCode = status;
    response.end(status === 202 ? '' : '{"Message":"no such function"}');
  });
  before(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  after(() => server.close());

  const invoke = (endpoint?: string) =>
    invokeFunction({
      functionName: 'inference',
      region: 'eu-central-1',
      credentials: () => ({ accessKeyId: 'AK', secretAccessKey: 'SK', sessionToken: 'session' }),
      endpoint: endpoint ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });

  test('an asynchronous invocation sends the payload, signed with the role’s session, and does not wait for its end', async () => {
    await invoke()({ picture: 'ü' });

    const [{ headers, body } = { headers: {}, body: '' }] = seen.splice(0);
    assert.equal(headers['x-amz-invocation-type'], 'Event');
    assert.equal(headers['x-amz-security-token'], 'session');
    assert.match(String(headers.authorization), /Credential=AK\/\d{8}\/eu-central-1\/lambda\/aws4_request/);
    assert.deepEqual(JSON.parse(body), { picture: 'ü' });
  });

  test('a function that cannot be started or reached is Unavailable', async () => {
    status = 404;
    await assert.rejects(invoke()({}), { code: 'Unavailable', message: /inference was not started: 404 .*no such/ });
    await assert.rejects(invoke('http://127.0.0.1:1')({}), { code: 'Unavailable', message: /cannot be reached/ });
  });

  test('an invocation that Lambda never answers times out after a bounded number of retries', async (t) => {
    let asked = 0;
    const silent = createServer(() => asked++).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    t.after(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const send = invokeFunction({
      functionName: 'inference',
      region: 'eu-central-1',
      credentials: () => ({ accessKeyId: 'AK', secretAccessKey: 'SK' }),
      endpoint: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      answerMs: 100,
    });

    await assert.rejects(send({}), { code: 'Unavailable', message: /cannot be reached.*took over 100 ms/ });
    assert.equal(asked, 3);
  });
});
