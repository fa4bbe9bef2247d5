import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { type AttributeValue, ScanCommand } from '@aws-sdk/client-dynamodb';
import { type ApiHandler, sendTo } from '../support/api-bundle.ts';
import { ADMIN_SECRET, type LocalAws, ORIGIN_SECRET, startAws } from '../support/aws-services.ts';
import { type Bundles, bundleAll, MAX_CODE_BYTES, MAX_START_BYTES } from '../support/bundles.ts';
import { whyNoDynamo } from '../support/dynamo.ts';
import { callEdge, edgeEvent } from '../support/edge.ts';
import { firstAnswer } from '../support/first-answer.ts';
import { lambdaContext, loadHandler, urlEvent } from '../support/lambda.ts';
import { type FakeUpstream, fakeUpstream } from '../support/mcp-upstream.ts';
import { SfnStub } from '../support/sfn-stub.ts';
import { aTool } from '../support/tools.ts';

type Handler = (event: unknown, context?: unknown) => Promise<unknown>;

const entries = {
  api: 'functions/api/index.ts',
  stream: 'functions/stream/index.ts',
  publish: 'functions/stream/publish.ts',
  step: 'functions/step/index.ts',
  upload: 'functions/upload/index.ts',
  edge: 'functions/edge/index.ts',
} as const;

const ECHO = { name: 'echo', description: 'Says it again', inputSchema: { type: 'object' } };

describe('the bundles of all functions together', { skip: whyNoDynamo() }, () => {
  let aws: LocalAws;
  let sfn: SfnStub;
  let bundles: Bundles<keyof typeof entries>;
  let api: ApiHandler;
  let upstream: FakeUpstream;
  const cleaning: (() => Promise<void>)[] = [];
  let [stream, publish, step, upload, edge]: Handler[] = [];
  const send = sendTo(() => api);

  before(async () => {
    [bundles, aws] = await Promise.all([bundleAll(entries), startAws()]);
    sfn = new SfnStub(async (payload) => step?.(payload, lambdaContext()));
    upstream = await fakeUpstream({ after: (clean) => void cleaning.push(clean) }, [ECHO]);
    const places = { AWS_ENDPOINT_URL_SFN: await sfn.listen(), ASSAY_EGRESS: new URL(upstream.url).host };
    Object.assign(process.env, aws.environment, places);
    const { built } = bundles;
    api = await loadHandler<ApiHandler>(built.api.folder);
    [stream, publish, step, upload, edge] = await Promise.all(
      [built.stream, built.publish, built.step, built.upload, built.edge].map(({ folder }) =>
        loadHandler<Handler>(folder),
      ),
    );
  });
  after(async () => {
    for (const clean of cleaning) await clean();
    await sfn.close();
    await aws.stop();
    await bundles.remove();
  });

  test('C.08 bundles are within their size limits and include their worker threads', () => {
    const { api: apiSize, step: stepSize, upload: uploadSize, edge: edgeSize } = bundles.built;

    for (const { folder, codeBytes, startBytes } of [apiSize, stepSize, uploadSize]) {
      assert.ok(codeBytes <= MAX_CODE_BYTES, `${folder}: ${codeBytes} bytes`);
      assert.ok(startBytes <= MAX_START_BYTES, `${folder}: ${startBytes} bytes at start`);
    }
    assert.ok(edgeSize.bytes <= 80 * 1024, `${edgeSize.bytes} bytes`);
  });

  test('a first answer loads the start file only, and no fetch', async () => {
    const headers = { 'x-assay-origin': ORIGIN_SECRET, authorization: `Bearer ${ADMIN_SECRET}` };
    const { api, step, upload } = bundles.built;
    const list = urlEvent({ path: '/v1/tools', query: 'limit=1', headers });

    // npm run bench -- start-modules writes which modules are in that file.
    const answers = [
      await firstAnswer(api.folder, 'stream', list, aws.environment),
      await firstAnswer(step.folder, 'plain', { clean_up: true }, aws.environment),
      await firstAnswer(upload.folder, 'plain', { 'detail-type': 'none' }, aws.environment),
    ];

    assert.deepEqual(answers, Array(3).fill({ groups: ['group-start'], fetch: false }));
  });

  test('C.07 a picture is announced, uploaded to S3, scored by its event, and its scores are read', async () => {
    const announced = await send('POST', '/v1/uploads', { content_type: 'image/png', tools: ['entropy'] });
    const { key, url, headers } = announced.json as { key: string; url: string; headers: Record<string, string> };
    const put = await fetch(url, { method: 'PUT', headers, body: new Uint8Array(await picture()) });
    await upload?.(objectCreated(`images/default/${key}`), lambdaContext());
    const scored = await send('GET', `/v1/images/${key}/scores`);

    assert.equal(put.status, 200);
    assert.equal((scored.json as { status: string }).status, 'scored', scored.body.toString());
    assert.match(scored.body.toString(), /"tool":"entropy"/);
  });

  test('C.07 an event of an object that is not an upload fails, so that it ends in the dead-letter queue', async () => {
    await assert.rejects(upload?.(objectCreated('scores/default/x.png.json'), lambdaContext()) ?? Promise.resolve());
  });

  test('C.02 the stream adds each call to the statistics once, however often it is delivered', async () => {
    await send('POST', '/v1/tools', aTool({ name: 'counted', parameters: { type: 'object' } }));
    await send('POST', '/v1/tools/counted/invoke', { arguments: {} });
    const records = await streamRecords(aws);

    await stream?.(records);
    const answer = await stream?.(records);
    const stats = await send('GET', '/v1/tools/counted/stats');

    assert.deepEqual(answer, { state: {}, batchItemFailures: [] });
    assert.equal((stats.json as { calls: number }).calls, 1, stats.body.toString());
  });

  test('C.01 the edge answers what the stream has published as the api does, and forwards other requests', async () => {
    const made = await send('POST', '/v1/keys', { name: 'reader', scopes: ['read'] });
    const key = { authorization: `Bearer ${(made.json as { key: string }).key}` };
    // The edge asks the api for a beat by this header; what is published by then counts as complete.
    await send('GET', '/v1/tools/counted', undefined, { ...key, 'x-assay-beat': 'due' });
    await publish?.(await streamRecords(aws));
    const custom = {
      'x-assay-bucket': 'images',
      'x-assay-region': 'eu-central-1',
      'x-assay-endpoint': aws.s3.endpoint,
    };
    const ask = (path: string, method = 'GET') => callEdge(edge as never, edgeEvent(path, key, { method, custom }));

    const [atEdge, atOrigin] = [await ask('/v1/tools/counted'), await send('GET', '/v1/tools/counted', undefined, key)];
    const passed = await ask('/v1/tools/counted/invoke', 'POST');

    assert.equal(atEdge.status, 200);
    assert.equal(atEdge.body, atOrigin.body.toString());
    assert.equal(atEdge.headers.etag, atOrigin.headers.etag);
    assert.equal(passed.passed?.uri, '/v1/tools/counted/invoke');
  });

  test('X.16 a source is added and called on DynamoDB, and the schedule refreshes those that are due', async () => {
    const source = { name: 'echoes', kind: 'mcp', url: upstream.url, permission: 'safe' };
    const added = await send('POST', '/v1/sources', source);
    assert.equal(added.statusCode, 201);
    assert.equal((added.json as { status: string }).status, 'ok', added.body.toString());
    const called = await send('POST', '/v1/tools/echoes_echo/invoke', { arguments: { text: 'hi' } });
    assert.equal((called.json as { output: unknown }).output, '{"text":"hi"}', called.body.toString());
    assert.deepEqual(await step?.({ refresh_sources: true }, lambdaContext()), { refreshed: 0 });
  });

  test('C.05 a plan is compiled, made a state machine, and its steps run in the step function', async () => {
    await send('POST', '/v1/tools', aTool({ name: 'first', parameters: { type: 'object' } }));
    const planned = await send('POST', '/v1/plans', {
      nodes: [
        { id: 'a', tool: 'first', arguments: {} },
        { id: 'b', tool: 'first', arguments: {}, after: ['a'] },
      ],
    });
    const { plan_id } = planned.json as { plan_id: string };
    const run = await send('POST', `/v1/plans/${plan_id}/runs`, {});

    assert.equal((run.json as { status: string }).status, 'ok', run.body.toString());
    assert.deepEqual(
      sfn.calls.filter((call) => call.startsWith('Create') || call.startsWith('Start')),
      ['CreateStateMachine', 'StartSyncExecution'],
    );
    assert.match([...sfn.machines.values()][0]?.name ?? '', /^assay-/);
  });

  test('the step function removes unused state machines once a day', async () => {
    assert.deepEqual(await step?.({ clean_up: true }, lambdaContext()), { removed: [] });
  });
});

const picture = (): Promise<Buffer> => readFile(new URL('../golden/iqa/astronaut.png', import.meta.url));

/** What EventBridge hands over when an object is stored. */
const objectCreated = (key: string): unknown => ({
  version: '0',
  id: '17793124-05d4-b198-2fde-7ededc63b103',
  'detail-type': 'Object Created',
  source: 'aws.s3',
  account: '111122223333',
  time: '2026-11-12T00:00:00Z',
  region: 'eu-central-1',
  resources: ['arn:aws:s3:::images'],
  detail: {
    version: '0',
    bucket: { name: 'images' },
    object: { key, size: 5, etag: 'b57f9512698f4b09e608f4f2a65852e5', sequencer: '00617F08299329D189' },
    'request-id': 'N4N7GDK58NMKJ12R',
    requester: '123456789012',
    'source-ip-address': '203.0.113.4',
    reason: 'PutObject',
  },
});

let sequence = 0;

/** Everything in the table as the stream tells of it, in one batch of a shard. */
const streamRecords = async ({ dynamo }: LocalAws): Promise<unknown> => {
  const { Items = [] } = await dynamo.client.send(new ScanCommand({ TableName: dynamo.tableName }));
  return {
    Records: Items.map((NewImage: Record<string, AttributeValue>) => ({
      eventID: `event-${++sequence}`,
      eventName: 'INSERT',
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: 'eu-central-1',
      dynamodb: {
        ApproximateCreationDateTime: 1_795_773_600,
        Keys: { pk: NewImage.pk, sk: NewImage.sk },
        NewImage,
        SequenceNumber: String(sequence).padStart(21, '0'),
        SizeBytes: 100,
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
      eventSourceARN: 'arn:aws:dynamodb:eu-central-1:111122223333:table/assay/stream/2026-11-12T00:00:00.000',
    })),
    window: { start: '2026-11-12T00:00:00Z', end: '2026-11-12T00:05:00Z' },
    state: {},
    shardId: 'shardId-00000001795773600000-00000001',
    isFinalInvokeForWindow: false,
    isWindowTerminatedEarly: false,
  };
};
