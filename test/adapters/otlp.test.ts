import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { AwsV4Signer } from 'aws4fetch';
import { lambdaTracing } from '../../shared/adapters/aws/lambda-tracing.ts';
import { signTraces } from '../../shared/adapters/aws/sign-traces.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { createSampler } from '../../shared/adapters/otel/sampler.ts';
import { OtelEnvironment, otelSettings } from '../../shared/adapters/otel/settings.ts';
import { createTracing } from '../../shared/adapters/otel/tracing.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { inSpan } from '../../shared/kernel/trace.ts';
import { memoryLog } from '../support/assay.ts';

interface Received {
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: the document of another specification
  readonly body: any;
}

const received: Received[] = [];
let answers: number[] = [];
const collector = createServer((request, response) => {
  let text = '';
  request.on('data', (part) => (text += part));
  request.on('end', () => {
    received.push({ url: request.url, headers: request.headers, body: JSON.parse(text) });
    response.writeHead(answers.shift() ?? 200).end('{}');
  });
});
let endpoint = '';
before(async () => {
  await new Promise<void>((done) => collector.listen(0, '127.0.0.1', done));
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
after(() => void collector.close());

const tracing = (variables: Readonly<Record<string, string | undefined>>, log = memoryLog()) =>
  createTracing({
    table: memoryTable(),
    clock: systemClock(),
    log,
    delayMs: 0,
    environment: OtelEnvironment.parse({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...variables }),
  });
const PARENT = { traceId: 'ab'.repeat(16), spanId: '12'.repeat(8), isSampled: true };
const entry = { name: 'GET /v1/tools', kind: 'server', mayCall: false, parent: PARENT } as const;

describe('traces by OTLP over HTTP', () => {
  test('X.26 a trace is posted as OTLP JSON with its parents, kinds, attributes and errors', async () => {
    received.length = 0;
    const tracer = await tracing({
      OTEL_SERVICE_NAME: 'registry',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-token=a%20b',
    });
    const segment = tracer.begin(entry);
    await segment?.run(() =>
      inSpan(
        'table get',
        { items: 3, share: 0.5, cold: true },
        async () => Promise.reject(new TypeError('no')),
        'client',
      ).catch(() => {}),
    );
    await segment?.end({ attributes: { 'http.response.status_code': 200 } });

    const [{ url, headers, body } = assert.fail('nothing was sent')] = received;
    assert.equal(url, '/v1/traces');
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['x-token'], 'a b');
    const { resource, scopeSpans } = body.resourceSpans[0];
    assert.deepEqual(resource.attributes, [
      { key: 'service.name', value: { stringValue: 'registry' } },
      { key: 'deployment.environment', value: { stringValue: 'test' } },
    ]);
    const [child, root] = scopeSpans[0].spans;
    assert.deepEqual([root.traceId, root.parentSpanId, root.kind], [PARENT.traceId, PARENT.spanId, 2]);
    assert.deepEqual([child.traceId, child.parentSpanId, child.kind], [PARENT.traceId, root.spanId, 3]);
    assert.deepEqual(child.status, { code: 2, message: 'TypeError' });
    assert.deepEqual(child.attributes, [
      { key: 'items', value: { intValue: '3' } },
      { key: 'share', value: { doubleValue: 0.5 } },
      { key: 'cold', value: { boolValue: true } },
    ]);
    assert.match(root.startTimeUnixNano, /^\d{19}$/);
    assert.ok(BigInt(root.endTimeUnixNano) >= BigInt(child.endTimeUnixNano));
  });

  test('an OTLP endpoint that refuses or is unreachable causes a warning and nothing else', async () => {
    answers = [500];
    const log = memoryLog();
    const refused = await tracing({}, log);
    await refused.begin(entry)?.end();
    const gone = await tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }, log);
    await gone.begin(entry)?.end();

    assert.deepEqual(
      log.lines.map(({ level, message }) => [level, message]),
      [
        ['warn', 'spans not sent'],
        ['warn', 'spans not sent'],
      ],
    );
  });

  test('without an endpoint, or unsampled, nothing is recorded or sent', async () => {
    received.length = 0;
    for (const variables of [
      { OTEL_SDK_DISABLED: 'true' },
      { OTEL_TRACES_EXPORTER: 'none' },
      { OTEL_TRACES_SAMPLER: 'always_off' },
    ]) {
      const segment = (await tracing(variables)).begin(entry);
      assert.equal(segment?.collector, undefined);
      await segment?.end();
    }
    assert.equal(otelSettings({}), undefined);
    assert.equal(received.length, 0);
  });

  test('samplers follow the parent, and a ratio samples the same traces in every process', () => {
    const unsampled = { parent: { ...PARENT, isSampled: false } };
    const byParent = createSampler({ sampler: 'parentbased_traceidratio', ratio: 0.25 });
    const low = () => `${'0'.repeat(18)}${'3'.repeat(14)}`;
    const high = () => `${'0'.repeat(18)}${'5'.repeat(14)}`;

    assert.equal(byParent({ parent: PARENT }, high), true);
    assert.equal(byParent(unsampled, low), false);
    assert.deepEqual([byParent({}, low), byParent({}, high)], [true, false]);
    assert.equal(createSampler({ sampler: 'always_on', ratio: 1 })(unsampled, low), true);
  });

  test('invalid OpenTelemetry settings are refused with what is wrong', () => {
    for (const [variables, message] of [
      [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /http\/json/],
      [{ OTEL_TRACES_SAMPLER: 'sometimes' }, /parentbased_always_on/],
      [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' }, /URL/i],
    ] as const)
      assert.match(OtelEnvironment.safeParse(variables).error?.issues[0]?.message ?? '', message);
    const wrong = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_HEADERS: 's3cret' };
    assert.throws(
      () => otelSettings(wrong),
      (thrown: Error) => /key=value/.test(thrown.message) && !thrown.message.includes('s3cret'),
    );
  });

  test('requests to X-Ray are signed with the function’s role, other requests are not', async (t) => {
    const sent: Request[] = [];
    t.mock.method(globalThis, 'fetch', async (input: string | Request, init?: RequestInit) => {
      sent.push(new Request(input, init));
      return new Response('{}');
    });
    const post = signTraces(() => ({ accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'session' }));
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    await post('https://xray.eu-west-1.amazonaws.com/v1/traces', init);
    await post('https://xray.evil.example/v1/traces', init);

    const [ours, other] = sent;
    const signer = new AwsV4Signer({
      url: 'https://xray.eu-west-1.amazonaws.com/v1/traces',
      ...init,
      accessKeyId: 'AKID',
      secretAccessKey: 'secret',
      sessionToken: 'session',
      service: 'xray',
      region: 'eu-west-1',
      datetime: ours?.headers.get('x-amz-date') ?? '',
      allHeaders: true,
    });
    const signed = await signer.sign();
    assert.equal(ours?.headers.get('authorization'), signed.headers.get('authorization'));
    assert.equal(other?.headers.get('authorization'), null);
  });

  test('a Lambda function records only traces that Lambda or its caller sampled', async () => {
    const ports = { table: memoryTable(), clock: systemClock(), log: memoryLog() };
    const tracer = await lambdaTracing(ports, {});
    const call = { name: 'POST', kind: 'server', mayCall: true } as const;

    assert.equal(tracer.begin(call)?.collector, undefined);
    assert.equal(tracer.begin({ ...call, parent: { ...PARENT, isSampled: false } })?.collector, undefined);
    assert.ok(tracer.begin({ ...call, parent: PARENT })?.collector);
  });
});
