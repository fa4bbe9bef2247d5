import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { handle, streamHandle } from 'hono/aws-lambda';
import { testAssay } from '../support/assay.ts';
import { ADMIN_SECRET, ORIGIN_SECRET, startAws } from '../support/aws-services.ts';
import { bundleAll } from '../support/bundles.ts';
import { edgeEvent } from '../support/edge.ts';
import { callStreaming, installRuntime, lambdaContext, urlEvent } from '../support/lambda.ts';
import { printTable } from './report.ts';
import { alternate, median } from './support/measure.ts';

const entries = {
  api: 'functions/api/index.ts',
  step: 'functions/step/index.ts',
  upload: 'functions/upload/index.ts',
  stream: 'functions/stream/index.ts',
  edge: 'functions/edge/index.ts',
} as const;
type Name = keyof typeof entries | 'bare hono';

const headers = { 'x-assay-origin': ORIGIN_SECRET, authorization: `Bearer ${ADMIN_SECRET}` };
/** The first event of each: the least that makes it do its work. */
const events: Readonly<Record<Name, unknown>> = {
  api: urlEvent({ path: '/v1/tools', query: 'limit=1', headers }),
  'bare hono': urlEvent({ path: '/' }),
  step: { clean_up: true },
  upload: { 'detail-type': 'none' },
  stream: { Records: [], state: {} },
  edge: edgeEvent('/v1/decide', {}, { method: 'POST' }),
};

/** Start to first answer of each bundle, against a bare Hono bundle in the same run; and the two modes of a URL. */
export async function bench(args: readonly string[]): Promise<void> {
  const rounds = Number(args[0] ?? 7);
  const [bundles, aws] = await Promise.all([bundleAll(entries), startAws()]);
  const bare = await bareHono();
  // As JavaScript: stripping types would be part of every start.
  const starter = await bundled(
    fileURLToPath(new URL('./support/start-bundle.ts', import.meta.url)),
    join(bare, 'starter.mjs'),
  );
  try {
    const folders = {
      ...Object.fromEntries(Object.entries(bundles.built).map(([name, { folder }]) => [name, folder])),
      'bare hono': bare,
    } as Record<Name, string>;
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
    await printModes();
  } finally {
    await aws.stop();
    await bundles.remove();
    await rm(bare, { recursive: true });
  }
}

interface Start {
  readonly ready: number;
  readonly answered: number;
}

const startOnce = async (starter: string, folder: string, name: Name, env: NodeJS.ProcessEnv): Promise<Start> => {
  const mode = name === 'api' || name === 'bare hono' ? 'stream' : 'plain';
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
    })),
  );
};

/** The least that a function on Hono can be. */
const bareHono = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-'));
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'entry.ts'),
    "import { Hono } from 'hono'; import { streamHandle } from 'hono/aws-lambda'; export const handler = streamHandle(new Hono().get('/', (c) => c.json({ status: 'ok' })));",
  );
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
    nodePaths,
  });
  return outfile;
};

/** Whether a URL that streams costs short answers anything: the same app in both modes, warm. */
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
      // Lambda's runtime writes a buffered answer as JSON, in which the body is a text.
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
