import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bundleFunction } from '../../infra/build/bundle.ts';
import { s3Blobs } from '../../shared/adapters/aws/s3-blobs.ts';
import { callEdge, edgeEvent } from '../support/edge.ts';
import { type BuiltEdge, buildEdge } from '../support/edge-bundle.ts';
import { fillEdgeWorld, makeEdgeWorld } from '../support/edge-world.ts';
import { localCredentials, localRegion, startS3 } from '../support/s3.ts';

const MAX_BYTES = 80 * 1024;

describe('the edge function as deployed', () => {
  let built: BuiltEdge;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-'));
    built = await buildEdge(join(folder, 'index.mjs'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test(`the edge bundle has at most ${MAX_BYTES} bytes`, async () => {
    const { bytes } = await bundleFunction({ entry: 'functions/edge/index.ts', outdir: join(folder, 'deployed') });

    assert.ok(built.bytes <= MAX_BYTES, `it has ${built.bytes}`);
    assert.ok(bytes <= MAX_BYTES, `as deployed it has ${bytes}`);
  });

  test('the edge bundle has no schema library, no SDK and nothing of the api', () => {
    const packages = new Set(built.inputs.flatMap((path) => /node_modules\/((@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));

    assert.deepEqual([...packages].sort(), ['aws4fetch', 'hono']);
    assert.deepEqual(
      built.inputs.filter((path) => /^functions\/(?!edge\/)|shared\/(adapters|execute|plan|decide|iqa)\//.test(path)),
      [],
    );
  });

  test('the edge bundle reads only credentials from its environment', async () => {
    const text = await readFile(built.file, 'utf8');

    assert.deepEqual(text.match(/process\.env[\w.]*/g), ['process.env']);
    for (const name of text.match(/AWS_[A-Z_]+/g) ?? [])
      assert.ok(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'].includes(name), name);
  });

  test('C.01 the edge bundle answers from S3, with bucket and region from the origin’s headers', async (t) => {
    const { client, endpoint, bucket, stop } = await startS3('published');
    t.after(stop);
    const world = await makeEdgeWorld(s3Blobs({ client, bucket }));
    await fillEdgeWorld(world);
    await world.publish(Date.now());
    process.env.AWS_ACCESS_KEY_ID = localCredentials.accessKeyId;
    process.env.AWS_SECRET_ACCESS_KEY = localCredentials.secretAccessKey;
    const { handler } = (await import(pathToFileURL(built.file).href)) as { handler: Parameters<typeof callEdge>[0] };
    const custom = { 'x-assay-bucket': bucket, 'x-assay-region': localRegion, 'x-assay-endpoint': endpoint };
    const headers = { authorization: `Bearer ${world.keys.acme}`, 'x-request-id': 'r' };

    for (const path of ['/v1/tools', '/v1/tools/same_name', '/v1/providers/gemini/tools', '/v1/prompt']) {
      const at = await callEdge(handler, edgeEvent(path, headers, { custom }));
      const api = await world.given.app.request(path, { headers });
      assert.equal(at.body, await api.text(), path);
      assert.equal(at.headers.etag, api.headers.get('etag'));
    }
    assert.ok((await callEdge(handler, edgeEvent('/v1/tools?q=x', headers, { custom }))).passed);
    const other = { ...custom, 'x-assay-bucket': 'not-there' };
    assert.ok((await callEdge(handler, edgeEvent('/v1/tools', headers, { custom: other }))).passed);
  });
});
