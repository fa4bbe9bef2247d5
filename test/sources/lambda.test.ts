import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { localAssay } from '../../functions/compose/local-assay.ts';
import { readEnvironment } from '../../functions/compose/local-environment.ts';
import { adminActor } from '../../shared/access/scopes.ts';
import { executeTool } from '../../shared/execute/execute.ts';
import { readConfigured } from '../../shared/sources/configured.ts';
import { addSource } from '../../shared/sources/manage.ts';
import { memoryLog } from '../support/assay.ts';
import { serveHttp } from '../support/mcp-upstream.ts';

const add = {
  name: 'add',
  description: 'Adds two numbers',
  parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
};

describe('X.16 a Lambda function as a source', () => {
  test('a Lambda source has its declared tools, is chosen by its alias only, and only by its tenant', async (t) => {
    const invoked: { path: string; body: Record<string, never> }[] = [];
    const { url } = await serveHttp(t, async (request) => {
      const body = (await request.json()) as Record<string, never>;
      invoked.push({ path: new URL(request.url).pathname, body });
      assert.match(request.headers.get('authorization') ?? '', /^AWS4-HMAC-SHA256 /);
      const { a, b } = body.arguments as unknown as { a: number; b: number };
      if (b === 0)
        return Response.json({ errorMessage: 'no zeros' }, { headers: { 'x-amz-function-error': 'Unhandled' } });
      return Response.json({ sum: a + b });
    });
    const configured = readConfigured({
      functions: [
        { alias: 'maths', tenant: 'acme', function: 'arn:aws:lambda:eu-west-1:1:function:sums', tools: [add] },
      ],
    });
    assert.deepEqual(configured.problems, []);
    const environment = readEnvironment({
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_ENDPOINT_URL_LAMBDA: url,
    });
    const assay = await localAssay({ environment, log: memoryLog(), configured, discover: async () => [] });
    t.after(() => assay.close());
    const source = { name: 'sums', kind: 'lambda', permission: 'safe' } as const;
    const acme = adminActor('acme');
    for (const alias of ['arn:aws:lambda:eu-west-1:1:function:sums', 'sums'])
      await assert.rejects(addSource(assay, acme, { ...source, alias }), /no function .* is configured/);
    await assert.rejects(addSource(assay, adminActor('other'), { ...source, alias: 'maths' }), /no function/);
    const added = await addSource(assay, acme, { ...source, alias: 'maths' });
    assert.equal(added.status, 'ok', added.error);
    const called = await executeTool(assay, acme, { name: 'sums_add', arguments: { a: 1, b: 2 } });
    assert.deepEqual(called.output, { sum: 3 });
    assert.match(invoked[0]?.path ?? '', /function%3Asums\/invocations$/);
    assert.deepEqual(Object.keys(invoked[0]?.body ?? {}), ['tool', 'arguments', 'tenant', 'call_id']);
    const failed = await executeTool(assay, acme, { name: 'sums_add', arguments: { a: 1, b: 0 } });
    assert.equal(failed.status, 'failed');
    assert.deepEqual(failed.error, { type: 'UpstreamError', message: 'no zeros' });
    await assert.rejects(executeTool(assay, acme, { name: 'sums_add', arguments: { a: 'x' } }), /not valid/);
  });
});
