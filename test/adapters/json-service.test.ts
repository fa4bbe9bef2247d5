import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { AwsV4Signer } from 'aws4fetch';
import { jsonService } from '../../shared/adapters/aws/json-service.ts';
import { signRequest } from '../../shared/adapters/aws/sign-request.ts';

const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'token/+=' };

test('a request to AWS has the same Signature Version 4 as another implementation computes', async () => {
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.GetItem' };
  const body = '{"Key":{"pk":{"S":"ü"}}}';
  const url = 'https://dynamodb.eu-central-1.amazonaws.com/';
  const now = Date.UTC(2026, 10, 18, 6, 7, 8);
  const other = await new AwsV4Signer({
    ...credentials,
    url,
    method: 'POST',
    headers,
    body,
    service: 'dynamodb',
    region: 'eu-central-1',
    datetime: '20261118T060708Z',
    allHeaders: true,
  }).sign();

  const ours = signRequest({
    service: 'dynamodb',
    region: 'eu-central-1',
    host: new URL(url).host,
    headers,
    body,
    credentials,
    now,
  });

  assert.equal(ours.authorization, other.headers.get('authorization'));
});

test('a path with reserved characters is signed as another implementation does: encoded twice, except for S3', async () => {
  const now = Date.UTC(2026, 10, 18, 6, 7, 8);
  const path = '/2015/functions/arn%3Aaws%3Alambda%3Aeu%20x/invocations';
  const query = 'a=%2F&b=2';
  const headers = { 'x-amz-content-sha256': createHash('sha256').digest('hex') };
  for (const service of ['lambda', 's3']) {
    const host = `${service}.eu-central-1.amazonaws.com`;
    const other = await new AwsV4Signer({
      ...credentials,
      url: `https://${host}${path}?${query}`,
      method: 'GET',
      headers,
      service,
      region: 'eu-central-1',
      datetime: '20261118T060708Z',
      allHeaders: true,
    }).sign();

    const request = { method: 'GET', path, query, service, region: 'eu-central-1', host, headers, body: '' } as const;
    assert.equal(signRequest({ ...request, credentials, now }).authorization, other.headers.get('authorization'));
  }
});

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

type Options = Parameters<typeof jsonService>[0];

/** A service whose answers are given in turn, the last one for ever. */
const stub = async (t: TestContext, answers: readonly Answer[], options: Partial<Options> = {}) => {
  const asked: string[] = [];
  const requests: IncomingMessage[] = [];
  const pauses: number[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    requests.push(request);
    asked.push(`${request.headers['x-amz-target']} ${body}`);
    answers[Math.min(asked.length, answers.length) - 1]?.(request, response, body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const call = jsonService({
    service: 'machines',
    region: 'eu-central-1',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: () => credentials,
    pause: async (ms) => void pauses.push(ms),
    answerMs: 60_000,
    ...options,
  });
  return { call, asked, requests, pauses, server };
};

const say =
  (status: number, body: unknown): Answer =>
  (_, response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
const refuse = (type: string, fields = {}): Answer =>
  say(400, { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'no', ...fields });
const hangUp: Answer = (request) => request.socket.destroy();

test('a call is retried when its response was lost, it was throttled or the service failed', async (t) => {
  for (const first of [
    hangUp,
    refuse('ThrottlingException'),
    say(500, 'not even JSON'),
    say(503, {}),
    say(200, '{"cut off'),
  ]) {
    const { call, asked } = await stub(t, [first, say(200, { Item: { a: { N: '1' } } })]);

    assert.deepEqual(await call('GetItem', { TableName: 'x' }), { Item: { a: { N: '1' } } });
    assert.deepEqual(asked, Array(2).fill('AWSStepFunctions.GetItem {"TableName":"x"}'));
  }
});

test('a call that keeps failing ends after three tries, with the name of the last error', async (t) => {
  const { call, asked } = await stub(t, [refuse('ProvisionedThroughputExceededException')]);

  await assert.rejects(call('GetItem', {}), { name: 'ProvisionedThroughputExceededException', message: 'no' });
  assert.equal(asked.length, 3);
});

test('a client error is not retried, and carries the service’s error name and fields', async (t) => {
  const { call, asked } = await stub(t, [refuse('ConditionalCheckFailedException', { Item: { stamp: { S: 's' } } })]);

  await assert.rejects(call('PutItem', {}), { name: 'ConditionalCheckFailedException', Item: { stamp: { S: 's' } } });
  assert.equal(asked.length, 1);
});

test('a response that starts and never ends is cut off by the timeout', async (t) => {
  const { call, asked } = await stub(t, [(_, response) => void response.writeHead(200).write('{')], { answerMs: 200 });

  await assert.rejects(call('GetItem', {}), { name: 'TimeoutError' });
  assert.equal(asked.length, 3);
});

test('an invocation that is waited for is not started again when its response is lost', async (t) => {
  const { call, asked } = await stub(t, [() => {}], { answerMs: 200 });

  await assert.rejects(call('StartSyncExecution', {}), { name: 'TimeoutError' });
  assert.equal(asked.length, 1);
});

test('throttled calls back off longer than failed ones, exponentially and with jitter', async (t) => {
  const bounds = { ThrottlingException: [1000, 2000], InternalServerError: [100, 200] };
  for (const [type, [first = 0, second = 0]] of Object.entries(bounds)) {
    const all: number[][] = [];
    for (let round = 0; round < 20; round++) {
      const { call, pauses } = await stub(t, [say(type === 'ThrottlingException' ? 400 : 500, { __type: type })]);
      await assert.rejects(call('GetItem', {}), { name: type });
      all.push(pauses);
    }
    assert.ok(all.every(([a = -1, b = -1, ...more]) => a >= 0 && a < first && b >= 0 && b < second && !more.length));
    assert.ok(new Set(all.flat()).size > 20, 'pauses differ');
    assert.ok(Math.max(...all.flat()) > first / 2, 'pauses grow');
  }
});

test('an error’s name is read from every form in which AWS services write it', async (t) => {
  const named = (type: string) => say(400, { __type: type });
  const inHeader: Answer = (_, response) =>
    response.writeHead(400, { 'x-amzn-errortype': 'AccessDeniedException:http://x' }).end('');
  for (const answer of [
    named('AccessDeniedException'),
    named('com.amazon.coral.service#AccessDeniedException'),
    named('aws.x#AccessDeniedException:http://internal.amazon.com/coral/'),
    inHeader,
  ]) {
    const { call, asked } = await stub(t, [answer]);
    await assert.rejects(call('GetItem', {}), { name: 'AccessDeniedException' });
    assert.equal(asked.length, 1);
  }
});

test('a clock that is an hour off costs one refused request and is then corrected', async (t) => {
  for (const hours of [-1, 1]) {
    const signedAt = ({ headers }: IncomingMessage) =>
      Date.parse(String(headers['x-amz-date']).replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'));
    const strict: Answer = (request, response) =>
      Math.abs(signedAt(request) - Date.now()) < 300_000
        ? response.writeHead(200).end('{"fine":true}')
        : response
            .writeHead(403)
            .end(JSON.stringify({ __type: 'InvalidSignatureException', message: 'Signature expired: ...' }));
    const { call, asked, pauses } = await stub(t, [strict], { now: () => Date.now() + hours * 3_600_000 });

    assert.deepEqual(await call('GetItem', {}), { fine: true });
    assert.deepEqual(await call('GetItem', {}), { fine: true });
    assert.equal(asked.length, 3);
    assert.deepEqual(pauses, []);
  }
});

test('a service whose servers disagree about the time does not cause endless retries', async (t) => {
  const dated =
    (offset: number): Answer =>
    (_, response) =>
      response
        .writeHead(403, { date: new Date(Date.now() + offset).toUTCString() })
        .end(JSON.stringify({ __type: 'InvalidSignatureException', message: 'Signature not yet current' }));
  const { call, asked } = await stub(t, [dated(3_600_000), dated(0), dated(3_600_000), dated(0)]);

  await assert.rejects(call('GetItem', {}), { name: 'InvalidSignatureException' });
  assert.equal(asked.length, 3);
});

test('each retry is signed with the credentials that are current then', async (t) => {
  const renewed = ['old', 'new'].map((sessionToken) => ({ ...credentials, sessionToken }));
  const { call, requests } = await stub(t, [say(500, {}), say(200, {})], {
    credentials: () => renewed.shift() ?? credentials,
  });

  await call('GetItem', {});
  assert.deepEqual(
    requests.map(({ headers }) => headers['x-amz-security-token']),
    ['old', 'new'],
  );
});

test('sequential calls share one connection; a thousand concurrent calls share fifty, and all are answered', async (t) => {
  const { call, requests, server } = await stub(t, [say(200, {})]);
  let connections = 0;
  server.on('connection', () => connections++);

  for (let n = 0; n < 5; n++) await call('GetItem', { n });
  assert.equal(connections, 1);
  await Promise.all(Array.from({ length: 1000 }, (_, n) => call('GetItem', { n })));
  assert.equal(requests.length, 1005);
  assert.ok(connections <= 50, `${connections} connections`);
});
