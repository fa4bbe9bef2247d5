import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { s3Blobs } from '../../shared/adapters/aws/s3-blobs.ts';
import { keyFile } from '../../shared/registry/published.ts';
import { type ApiHandler, sendTo } from '../support/api-bundle.ts';
import { testAssay } from '../support/assay.ts';
import { ADMIN_SECRET, type LocalAws, ORIGIN_SECRET, startAws } from '../support/aws-services.ts';
import { type Bundles, bundleAll } from '../support/bundles.ts';
import { whyNoDynamo } from '../support/dynamo.ts';
import { callStreaming, loadHandler, urlEvent } from '../support/lambda.ts';
import { aTool } from '../support/tools.ts';

describe('the bundle of functions/api', { skip: whyNoDynamo() }, () => {
  let aws: LocalAws;
  let project: string;
  let bundles: Bundles<'api'>;
  let handler: ApiHandler;
  const send = sendTo(() => handler);

  before(async () => {
    project = await mkdtemp(join(tmpdir(), 'assay-'));
    await writePlugins(project);
    [bundles, aws] = await Promise.all([bundleAll({ api: 'functions/api/index.ts' }, { tools: project }), startAws()]);
    Object.assign(process.env, aws.environment);
    handler = await loadHandler<ApiHandler>(bundles.built.api.folder);
  });
  after(async () => {
    await aws.stop();
    await bundles.remove();
    await rm(project, { recursive: true });
  });

  test('C.02 the api bundle stores a tool in DynamoDB on a POST, and answers 304 to a GET with its ETag', async () => {
    const stored = await send('POST', '/v1/tools', aTool({ name: 'greeter', version: '1.0.0' }));
    const read = await send('GET', '/v1/tools/greeter?version=1.0.0');
    const again = await send('GET', '/v1/tools/greeter', undefined, { 'if-none-match': read.headers.etag ?? '' });

    assert.equal(stored.statusCode, 201);
    assert.equal(read.statusCode, 200);
    assert.equal((read.json as { spec: { name: string } }).spec.name, 'greeter');
    assert.equal(again.statusCode, 304);
    assert.equal(again.body.length, 0);
  });

  test('X.26 a call that Lambda sampled has its trace stored under its id, within the trace of CloudFront’s header', async () => {
    const header = 'Root=1-67891233-abcdef012345678912345678;Parent=53995c3f42cd8ad8;Sampled=1';
    await send('POST', '/v1/tools', aTool({ name: 'traced', version: '1.0.0' }));
    const call = (headers: Record<string, string>) =>
      send('POST', '/v1/tools/traced/invoke', { arguments: { city: 'Oslo' } }, headers);
    const chosen = (await call({ 'x-amzn-trace-id': header })).json as { call_id: string };
    const other = (
      await call({ 'x-amzn-trace-id': header.replace('1-6789', '1-6788').replace('Sampled=1', 'Sampled=0') })
    ).json as typeof chosen;

    const trace = await send('GET', `/v1/calls/${chosen.call_id}/trace`);
    const none = await send('GET', `/v1/calls/${other.call_id}/trace`);

    assert.equal((trace.json as { trace_id: string }).trace_id, '67891233abcdef012345678912345678');
    assert.match(trace.body.toString(), /"parent_id":"53995c3f42cd8ad8".*"name":"call traced".*"name":"table /);
    assert.equal((none.json as { kept: boolean }).kept, false);
  });

  test('a key revocation is published to the edge before it is answered', async () => {
    const made = (await send('POST', '/v1/keys', { scopes: ['read'] })).json as { id: string };
    assert.equal((await send('DELETE', `/v1/keys/${made.id}`)).statusCode, 204);

    const bucket = aws.environment.ASSAY_SNAPSHOTS_BUCKET ?? '';
    const published = s3Blobs({ client: aws.s3.client, bucket });
    const file = Buffer.from((await published.get(keyFile(made.id))) ?? []).toString();
    assert.match(file, /"revoked_at"/);
  });

  test('the api bundle gives the same OpenAPI document as the source', async () => {
    const { app } = await testAssay();
    const described = await send('GET', '/openapi.json');

    assert.deepEqual(described.json, await (await app.request('/openapi.json')).json());
  });

  test('C.03 a picture is scored by the worker thread, with the packages of the layer', async () => {
    const image = await readFile(new URL('../golden/iqa/astronaut.png', import.meta.url));
    const scored = await send('POST', '/v1/score', { image: { base64: image.toString('base64') }, tools: ['entropy'] });

    const asked = { arguments: { image: { base64: image.toString('base64') } } };
    const told = await send('POST', '/v1/tools/image_info/invoke', asked);
    assert.match(told.body.toString(), /"width":384/);
    const [score] = (scored.json as { scores: { tool: string; raw: number; hallmark?: unknown }[] }).scores;
    assert.equal(score?.tool, 'entropy');
    assert.ok(score.raw > 7 && score.raw < 8 && score.hallmark, scored.body.toString());
  });

  test('a base64-encoded body is read as its bytes', async () => {
    const body = Buffer.from(JSON.stringify(aTool({ name: 'encoded', description: 'Grüße, 世界' })));
    const answer = await callStreaming(
      handler,
      urlEvent({
        method: 'POST',
        path: '/v1/tools',
        headers: {
          'x-assay-origin': ORIGIN_SECRET,
          'x-api-key': ADMIN_SECRET,
          'content-type': 'application/json',
        },
        body,
      }),
    );

    assert.equal(answer.statusCode, 201);
    assert.match(answer.body.toString(), /Grüße, 世界/);
  });

  test('a request that did not come through CloudFront is refused before anything is read', async () => {
    const reads = aws.secrets.reads;
    const missing = await send('GET', '/healthz', undefined, { 'x-assay-origin': '' });
    const guessed = await send('GET', '/v1/tools', undefined, { 'x-assay-origin': 'guess' });

    assert.deepEqual([missing.statusCode, guessed.statusCode], [403, 403]);
    assert.equal(aws.secrets.reads, reads);
    assert.equal((missing.json as { error: { code: string } }).error.code, 'Forbidden');
  });

  test('a rotated origin secret is accepted, and the previous one still is', async () => {
    const next = 'n'.repeat(48);
    aws.secrets.secrets.set('origin', { AWSCURRENT: next, AWSPREVIOUS: ORIGIN_SECRET });

    const fresh = await send('GET', '/healthz', undefined, { 'x-assay-origin': next });
    const late = await send('GET', '/healthz', undefined, { 'x-assay-origin': ORIGIN_SECRET });

    assert.deepEqual([fresh.statusCode, late.statusCode], [200, 200]);
  });

  test('R3.01 X.18 bundled plugins run with the operator’s permission; one that throws or does not parse is skipped', async () => {
    const asked = await send('POST', '/v1/tools/shout/invoke', { arguments: { text: 'hear' } });
    const { token } = (asked.json as { error: { details: { confirmation: { token: string } } } }).error.details
      .confirmation;
    const done = await send('POST', '/v1/tools/shout/invoke', { arguments: { text: 'hear' }, confirmation: token });
    const report = await send('POST', '/v1/reload');
    const skipped = (report.json as { skipped: { source: string; reason: string }[] }).skipped;

    assert.deepEqual((done.json as { output: unknown }).output, { text: 'HEAR' });
    assert.deepEqual(
      skipped.map(({ source }) => source),
      ['package assay-broken', 'package assay-throws'],
    );
    assert.match(skipped[1]?.reason ?? '', /no credentials for the plugin/);
  });

  test('a tool from the configuration is listed and answers in the api bundle', async () => {
    const answer = await send('POST', '/v1/tools/fixed/invoke', { arguments: {} });

    assert.equal(answer.statusCode, 200);
    assert.deepEqual((answer.json as { output: unknown }).output, { city: 'Bern' });
  });

  test('the api bundle serves MCP under the same URL and refuses pages of other sites', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const accept = 'application/json, text/event-stream';
    const ours = { accept, origin: 'https://d111111abcdef8.cloudfront.net' };

    const same = await send('POST', '/mcp', call, ours);
    const other = await send('POST', '/mcp', call, { accept, origin: 'https://evil.example' });

    assert.equal(same.statusCode, 200, same.body.toString());
    assert.equal(other.statusCode, 403);
  });
});

/** A project with a configuration and three plugin packages, of which one works. */
const writePlugins = async (project: string): Promise<void> => {
  const config = {
    tools: [
      aTool({
        name: 'fixed',
        parameters: { type: 'object' },
        implementation: { type: 'mock', mock_response: { city: 'Bern' } },
      }),
    ],
    plugins: { 'assay-shout': 'distrusted' },
  };
  await write(project, 'assay.config.json', JSON.stringify(config));
  const plugins = {
    'assay-shout': `export const tools = [{
      definition: { name: 'shout', description: 'Writes a text in capitals', version: '1.0.0', permission: 'safe',
        parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
      execute: ({ text }) => ({ text: text.toUpperCase() }),
    }];`,
    'assay-throws': `throw new Error('no credentials for the plugin');`,
    'assay-broken': 'export const tools = [',
  };
  for (const [name, text] of Object.entries(plugins)) {
    const folder = join(project, 'node_modules', name);
    await write(folder, 'package.json', JSON.stringify({ name, type: 'module', assay: { tools: './tools.js' } }));
    await write(folder, 'tools.js', text);
  }
};

const write = async (folder: string, name: string, text: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), text);
};
