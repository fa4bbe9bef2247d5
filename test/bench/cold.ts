import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { handle, streamHandle } from 'hono/aws-lambda';
import { BANNER } from '../../infra/build/bundle.ts';
import { slimBundle } from '../../infra/build/slim-bundle.ts';
import { testAssay } from '../support/assay.ts';
import { ADMIN_SECRET, ORIGIN_SECRET, startAws } from '../support/aws-services.ts';
import { bundleAll } from '../support/bundles.ts';
import { edgeEvent } from '../support/edge.ts';
import { callStreaming, installRuntime, lambdaContext, urlEvent } from '../support/lambda.ts';
import { printTable } from './report.ts';
import { alternate, median } from './support/measure.ts';
import { measureCommands } from './support/start-command.ts';

const entries = {
  api: 'functions/api/index.ts',
  step: 'functions/step/index.ts',
  upload: 'functions/upload/index.ts',
  stream: 'functions/stream/index.ts',
  edge: 'functions/edge/index.ts',
} as const;
/** Baseline bundles: Hono alone, and with what any such API needs: one table read by the SDK and one zod schema. */
const BARE = ['bare hono', 'hono, table, zod'] as const;
type Name = keyof typeof entries | (typeof BARE)[number];

const headers = { 'x-assay-origin': ORIGIN_SECRET, authorization: `Bearer ${ADMIN_SECRET}` };
/** The first event of each function: the smallest that makes it do its work. */
const events: Readonly<Record<Name, unknown>> = {
  api: urlEvent({ path: '/v1/tools', query: 'limit=1', headers }),
  'bare hono': urlEvent({ path: '/' }),
  'hono, table, zod': urlEvent({ path: '/' }),
  step: { clean_up: true },
  upload: { 'detail-type': 'none' },
  stream: { Records: [], state: {} },
  edge: edgeEvent('/v1/decide', {}, { method: 'POST' }),
};

/** Start to first answer: of each bundle against bare Hono in the same run, and of the commands; and both URL modes. */
export async function bench(args: readonly string[]): Promise<void> {
  const rounds = Number(args[0] ?? 7);
  const [bundles, aws] = await Promise.all([bundleAll(entries), startAws()]);
  const bare = await bareBundle(HONO);
  // Compiled to JavaScript, so that no start includes type stripping.
  const starter = await bundled(
    fileURLToPath(new URL('./support/start-bundle.ts', import.meta.url)),
    join(bare, 'starter.mjs'),
  );
  const folders = {
    ...Object.fromEntries(Object.entries(bundles.built).map(([name, { folder }]) => [name, folder])),
    'bare hono': bare,
    'hono, table, zod': await bareBundle(HONO_TABLE_ZOD),
  } as Record<Name, string>;
  try {
    const environment = { ...process.env, ...aws.environment };
    const names = Object.keys(events) as Name[];
    const starts = Object.fromEntries(names.map((name) => [name, [] as Start[]])) as Record<Name, Start[]>;
    await alternate(
      rounds,
      Object.fromEntries(
        names.map((name) => [
          name,
          async () => {
            const started = await startOnce(starter, folders[name], name, environment);
            starts[name].push(started);
            return started.answered;
          },
        ]),
      ) as Record<Name, () => Promise<number>>,
    );
    printStarts(starts, bundles.built);
    console.log('');
    printTable(await measureCommands(rounds));
    await printModes();
  } finally {
    await aws.stop();
    await bundles.remove();
    await Promise.all(BARE.map((name) => rm(folders[name], { recursive: true })));
  }
}

interface Start {
  readonly ready: number;
  readonly answered: number;
  /** CPU time up to the answer, which other load on the machine does not change. */
  readonly processor: number;
}

const startOnce = async (starter: string, folder: string, name: Name, env: NodeJS.ProcessEnv): Promise<Start> => {
  const mode = name === 'api' || BARE.some((bare) => bare === name) ? 'stream' : 'plain';
  const { stderr } = await promisify(execFile)(
    process.execPath,
    [starter, folder, mode, JSON.stringify(events[name])],
    { env },
  );
  return JSON.parse(stderr.slice(stderr.lastIndexOf('{'))) as Start;
};

const printStarts = (
  starts: Readonly<Record<Name, readonly Start[]>>,
  built: Readonly<Record<string, { readonly codeBytes: number; readonly bytes: number }>>,
): void => {
  const of = (name: Name, field: keyof Start): number => median(starts[name].map((start) => start[field]));
  const base = of('bare hono', 'answered');
  printTable(
    (Object.keys(starts) as Name[]).map((name) => ({
      bundle: name,
      'code KB': Math.round((built[name]?.codeBytes ?? 0) / 1000) || '',
      'all KB': Math.round((built[name]?.bytes ?? 0) / 1000) || '',
      'loaded ms': Math.round(of(name, 'ready')),
      'answered ms': Math.round(of(name, 'answered')),
      'against bare hono': (of(name, 'answered') / base).toFixed(2),
      'processor ms': Math.round(of(name, 'processor')),
      'processor against bare hono': (of(name, 'processor') / of('bare hono', 'processor')).toFixed(2),
    })),
  );
};

const HONO =
  "import { Hono } from 'hono'; import { streamHandle } from 'hono/aws-lambda'; export const handler = streamHandle(new Hono().get('/', (c) => c.json({ status: 'ok' })));";
const HONO_TABLE_ZOD = `
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { Hono } from 'hono';
import { streamHandle } from 'hono/aws-lambda';
import * as z from 'zod';
const client = new DynamoDBClient({});
const Query = z.object({ limit: z.string().optional() });
const command = new GetItemCommand({ TableName: process.env.ASSAY_TABLE, Key: { pk: { S: 'a' }, sk: { S: 'b' } } });
export const handler = streamHandle(new Hono().get('/', async (c) => {
  Query.parse(c.req.query());
  await client.send(command);
  return c.json({ status: 'ok' });
}));`;

/** Bundles a function from its source text. */
const bareBundle = async (text: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-'));
  await writeFile(join(folder, 'entry.ts'), text);
  await bundled(join(folder, 'entry.ts'), join(folder, 'index.mjs'));
  return folder;
};

const bundled = async (entry: string, outfile: string): Promise<string> => {
  const nodePaths = [fileURLToPath(new URL('../../node_modules', import.meta.url))];
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    banner: { js: BANNER },
    plugins: [...slimBundle(true)],
    nodePaths,
  });
  return outfile;
};

/** Whether streaming slows down short answers: the same warm app in both modes. */
const printModes = async (): Promise<void> => {
  installRuntime();
  const { app, request } = await testAssay();
  for (let index = 0; index < 200; index++)
    await request('POST', '/v1/tools', {
      name: `tool_${index}`,
      description: 'x'.repeat(2000),
      parameters: { type: 'object' },
      implementation: { type: 'mock', mock_response: {} },
    });
  const [buffered, streamed] = [handle(app), streamHandle(app)];
  const key = { authorization: 'Bearer admin-key-for-tests' };
  const answers = { 'one tool': '/v1/tools/tool_1', '100 tools': '/v1/tools?limit=100' };
  const rows = [];
  for (const [what, path] of Object.entries(answers)) {
    const [rawPath = '', query = ''] = path.split('?');
    const event = urlEvent({ path: rawPath, query, headers: key });
    const times = await alternate(15, {
      // Lambda's runtime writes a buffered answer as JSON, with the body as a string.
      buffered: () => perCall(async () => JSON.stringify(await buffered(event as never, lambdaContext() as never))),
      streamed: () => perCall(() => callStreaming(streamed as never, event)),
    });
    rows.push({
      answer: what,
      'buffered ms': times.buffered.toFixed(3),
      'streamed ms': times.streamed.toFixed(3),
      ratio: (times.streamed / times.buffered).toFixed(2),
    });
  }
  console.log('');
  printTable(rows);
};

const perCall = async (call: () => Promise<unknown>, calls = 50): Promise<number> => {
  const started = performance.now();
  for (let count = 0; count < calls; count++) await call();
  return (performance.now() - started) / calls;
};
