import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ADMIN_SECRET, type LocalAws, ORIGIN_SECRET, startAws } from '../support/aws-services.ts';
import { type Bundles, bundleAll } from '../support/bundles.ts';
import { whyNoDynamo } from '../support/dynamo.ts';
import { edgeEvent } from '../support/edge.ts';
import { urlEvent } from '../support/lambda.ts';
import { type RuntimeApi, startRuntimeApi } from '../support/runtime-api.ts';

/** Lambda's own runtime for Node, where it is installed: it builds only where there is a compiler. */
const findRuntime = (): string | undefined => {
  const named = process.env.AWS_LAMBDA_RIC;
  if (named !== undefined) return existsSync(named) ? named : undefined;
  try {
    return fileURLToPath(import.meta.resolve('aws-lambda-ric'));
  } catch {
    return undefined;
  }
};
const runtime = findRuntime();
const skip = runtime === undefined ? 'aws-lambda-ric is not installed' : whyNoDynamo();

describe('the bundles in the Lambda runtime', { skip }, () => {
  let aws: LocalAws;
  let bundles: Bundles<'api' | 'edge'>;
  before(async () => {
    const entries = { api: 'functions/api/index.ts', edge: 'functions/edge/index.ts' } as const;
    [bundles, aws] = await Promise.all([bundleAll(entries), startAws()]);
  });
  after(async () => {
    await aws.stop();
    await bundles.remove();
  });

  const invoke = async (name: 'api' | 'edge', event: unknown): Promise<Awaited<ReturnType<RuntimeApi['answer']>>> => {
    const api = await startRuntimeApi(event);
    const { folder } = bundles.built[name];
    const child = spawn(process.execPath, [runtime ?? '', 'index.handler'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        ...aws.environment,
        AWS_LAMBDA_RUNTIME_API: api.address,
        LAMBDA_TASK_ROOT: folder,
        _HANDLER: 'index.handler',
        AWS_LAMBDA_FUNCTION_NAME: name,
        AWS_LAMBDA_FUNCTION_VERSION: '1',
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1769',
        AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/assay',
        AWS_LAMBDA_LOG_STREAM_NAME: 'one',
      },
    });
    try {
      const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the runtime ended with ${code}`)));
      return await Promise.race([api.answer(), ended]);
    } finally {
      child.kill('SIGKILL');
      await api.stop();
    }
  };

  test('the api streams its answer in the Lambda runtime', async () => {
    const headers = { 'x-assay-origin': ORIGIN_SECRET, authorization: `Bearer ${ADMIN_SECRET}` };

    const { body, mode, failed } = await invoke('api', urlEvent({ path: '/v1/tools', query: 'limit=1', headers }));

    const [head = '', rest = ''] = body.split('\0\0\0\0\0\0\0\0');
    assert.equal(failed, false, body);
    assert.equal(mode, 'streaming');
    assert.equal(JSON.parse(head).statusCode, 200);
    assert.equal(JSON.parse(rest).tools.length, 1);
  });

  test('the edge forwards a request in the Lambda runtime', async () => {
    const { body, failed } = await invoke('edge', edgeEvent('/v1/decide', {}, { method: 'POST' }));

    assert.equal(failed, false, body);
    assert.equal(JSON.parse(body).uri, '/v1/decide');
  });
});
