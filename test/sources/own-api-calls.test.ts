import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import sharp from 'sharp';
import { serveAssay } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** What this story reads of answers. */
interface Answer {
  readonly status: string;
  readonly output: Answer;
  readonly problems?: unknown;
  readonly id: string;
  readonly key: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly content_type: string;
  readonly call_id: string;
  readonly plan_id: string;
  readonly run_id: string;
}

const KEY = 'admin-key-of-the-whole-story';

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

const greeter = (name: string, more: object = {}) => ({
  name,
  description: 'Says hello',
  type: 'function',
  handler: name,
  parameters: { type: 'object', properties: { who: { type: 'string' } } },
  implementation: { type: 'mock', mock_response: { hello: 'you' } },
  ...more,
});

/** What asks for nothing that another call must have made. */
const PLAIN = [
  'getHealthz getWellKnownOauthProtectedResource getWellKnownOauthProtectedResourceMcp getWellKnownOauthClientJson',
  'getWellKnownAssayKeysJson getSummary getExecutions getConfirmations getGrants getAudit getRecommendations',
  'getExamples getEvents getReload postReload getSources getKeys getTenants getProviders getPrompt getIqaTools',
  'getIqaModels getIqaCache getUsage getUsageVerification postUsageVerification getRuns',
].flatMap((line) => line.split(' '));

test('X.16 every operation of our OpenAPI document, imported into the same server, succeeds with valid arguments', async (t) => {
  const port = await freePort();
  const cwd = await temporaryDirectory(t);
  const env = { ASSAY_ADMIN_KEY: KEY, ASSAY_EGRESS: `127.0.0.1:${port}`, ASSAY_AUTH_SERVER: 'on' };
  const server = await serveAssay({ cwd, env, port });
  t.after(() => server.stop('SIGKILL'));
  const url = server.address;
  const api = async (method: string, path: string, body?: unknown): Promise<{ status: number; body: Answer }> => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const response = await fetch(url + path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Answer };
  };
  const until = async (path: string, isReached: (text: string) => boolean): Promise<void> => {
    for (let tries = 0; tries < 200; tries += 1) {
      if (isReached(JSON.stringify((await api('GET', path)).body))) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.fail(`${path} did not come so far`);
  };
  const called = new Set<string>();
  const call = async (operation: string, args: object = {}): Promise<Answer> => {
    called.add(operation);
    const { status, body } = await api('POST', `/v1/tools/self_${operation}/invoke`, { arguments: args });
    assert.equal(status, 200, `${operation}: ${JSON.stringify(body)}`);
    assert.equal(body.status, 'ok', `${operation}: ${JSON.stringify(body)}`);
    return body.output;
  };

  const source = { name: 'self', kind: 'openapi', url: `${url}/openapi.json`, secret: KEY, policy: 'auto' };
  const added = await api('POST', '/v1/sources', { ...source, permission: 'safe' });
  assert.deepEqual([added.status, added.body.problems], [201, undefined]);

  for (const operation of PLAIN) await call(operation);

  assert.equal((await call('postTools', greeter('own'))).id, 'own');
  await call('postDefinitionsCheck', greeter('another'));
  await call('getTools', { limit: 3, q: 'says hello' });
  await call('getToolsName', { name: 'own' });
  await call('patchToolsName', { name: 'own', enabled: true });
  await call('getToolsNameVersions', { name: 'own' });
  const invoked = await call('postToolsNameInvoke', { name: 'own', arguments: { who: 'you' } });
  assert.deepEqual(invoked.output, { hello: 'you' });
  await call('getExecutionsId', { id: invoked.call_id });
  await call('getCallsIdTrace', { id: invoked.call_id });
  await call('getToolsNameStats', { name: 'own' });
  await call('postFeedback', { tool: 'own', rating: 5 });
  await call('deleteExamplesTool', { tool: 'own' });
  await call('putListsKindName', { kind: 'whitelist', name: 'own', body: { reason: 'it is kind' } });
  await call('getListsKind', { kind: 'whitelist' });
  await call('deleteListsKindName', { kind: 'whitelist', name: 'own' });
  await call('postSnapshot', await call('getSnapshot'));
  await call('deleteToolsName', { name: 'own' });
  await call('postDecide', { task: 'convert 5 miles to km' });

  await call('postTools', greeter('asker', { permission: 'confirm' }));
  const asked = await api('POST', '/v1/tools/asker/invoke', { arguments: {} });
  const [id] = /01[0-9A-Z]{24}/.exec(JSON.stringify(asked.body)) ?? [];
  await call('getConfirmationsId', { id });
  await call('postConfirmations', { body: { id, approve: true } });

  const mate = await call('postKeys', { name: 'mate', scopes: ['read', 'invoke'] });
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  await call('putGrantsKeyIdName', { key_id: mate.id, name: 'file_delete', expires_at });
  await call('deleteGrantsKeyIdName', { key_id: mate.id, name: 'file_delete' });
  await call('deleteKeysId', { id: mate.id });
  await api('POST', '/v1/keys', { name: 'theirs', tenant: 'gone', scopes: ['read'] });
  await call('getTenantsTenantExport', { tenant: 'gone' });
  await call('deleteTenantsTenant', { tenant: 'gone', confirm: 'gone' });

  const account = { type: 'account', authorize_url: `${url}/a`, token_url: `${url}/t`, client_id: 'c' };
  const paths = { '/healthz': { get: { operationId: 'health', responses: { 200: { description: 'ok' } } } } };
  const document = { openapi: '3.1.0', info: { title: 't', version: '1' }, paths };
  await call('postSources', { name: 'other', kind: 'openapi', url, document, secret: account });
  await call('getSourcesName', { name: 'other' });
  await call('patchSourcesName', { name: 'other', refresh_minutes: 120 });
  await call('postSourcesNameRefresh', { name: 'other' });
  await call('postSourcesNameApprove', { name: 'other' });
  const ticket = String((await call('postSourcesNameAccount', { name: 'other' })).url)
    .split('/')
    .pop();
  await call('getConnectTicket', { ticket });
  assert.match(String(await call('postConnectTicket', { ticket, body: { key: KEY } })), /url=.*response_type=code/);
  await call('deleteSourcesNameAccount', { name: 'other' });
  await call('deleteSourcesName', { name: 'other' });

  await call('getProvidersProviderTools', { provider: 'openai', allowed: 'asker' });
  const answer = { content: [{ type: 'tool_use', id: 'a', name: 'asker', input: {} }] };
  const read = await call('postProvidersProviderCalls', { provider: 'anthropic', body: answer });
  assert.deepEqual(read, { calls: [{ id: 'a', name: 'asker', arguments: {} }] });
  await call('postProvidersProviderResults', {
    provider: 'anthropic',
    results: [{ id: 'a', name: 'asker', output: 1 }],
  });
  const listed = await call('postMcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } });
  assert.match(JSON.stringify(listed), /unit_convert/);

  const plain = { width: 64, height: 64, channels: 3, background: '#abc' } as const;
  const picture = await sharp({ create: plain }).png().toBuffer();
  const image = { base64: picture.toString('base64') };
  await call('getIqaToolsNameRecipe', { name: 'topiq_nr' });
  await call('postScore', { image, reference: image });
  assert.equal((await call('postScoreMap', { image, reference: image })).content_type, 'image/png');
  const upload = await call('postUploads', { content_type: 'image/png', size: picture.length });
  await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: picture });
  await until(`/v1/images/${upload.key}/scores`, (text) => text.includes('"scored"'));
  await call('getImagesKeyScores', { key: upload.key });

  const { plan_id } = await call('postPlans', { body: { nodes: [{ id: 'a', tool: 'asker', arguments: {} }] } });
  await call('getPlansId', { id: plan_id });
  await call('getPlansIdPicture', { id: plan_id });
  await call('postPlansIdTool', { id: plan_id, name: 'saved_plan', description: 'A plan' });
  const { run_id } = await call('postPlansIdRuns', { id: plan_id });
  await until(`/v1/runs/${run_id}`, (text) => text.includes('waiting'));
  await call('getRunsId', { id: run_id });
  await call('postRunsIdNodesNodeConfirm', { id: run_id, node: 'a', approve: true });
  await call('deleteRunsId', { id: (await call('postPlansIdRuns', { id: plan_id })).run_id });

  const { paths: own } = (await api('GET', '/openapi.json')).body as unknown as { paths: Record<string, object> };
  const operations = Object.values(own).flatMap((item) =>
    Object.values(item as Record<string, { operationId: string }>).map(({ operationId }) => operationId),
  );
  // It ends a walk through pages, with the cookie of the browser that began it: nobody else has it.
  assert.deepEqual(
    operations.filter((operation) => !called.has(operation)),
    ['getConnected'],
  );
});
