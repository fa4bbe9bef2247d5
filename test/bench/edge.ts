import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Blobs } from '../../shared/kernel/ports.ts';
import { providerNames } from '../../shared/providers/index.ts';
import { Catalog } from '../../shared/registry/catalog.ts';
import { createDefinitions } from '../../shared/registry/lookup/definitions.ts';
import { readDefinitionsQuery } from '../../shared/registry/lookup/definitions-query.ts';
import { createRegistry } from '../../shared/registry/registry.ts';
import { edgeEvent } from '../support/edge.ts';
import { buildEdge } from '../support/edge-bundle.ts';
import { fillEdgeWorld, makeEdgeWorld } from '../support/edge-world.ts';
import { aTool } from '../support/tools.ts';
import { judge, printTable } from './report.ts';

const ROUNDS = 21;

/** Start to first answer against a bare Hono bundle, alternating in one run; and the conversion of 1,000 tools. */
export async function bench(args: readonly string[]): Promise<void> {
  const rounds = Number(args[0] ?? ROUNDS);
  await benchStart(rounds);
  benchConversion();
}

const BARE = `import { Hono } from 'hono';
import { handle } from 'hono/lambda-edge';
const app = new Hono();
app.get('/v1/tools', (c) => c.json({ tools: [] }));
export const handler = handle(app);
`;

/** The minimum of a function that answers from S3: sign, read objects one after another, answer. */
const BARE_READING = `import { AwsClient } from 'aws4fetch';
import { Hono } from 'hono';
import { handle } from 'hono/lambda-edge';
const app = new Hono();
app.get('/v1/tools', async (c) => {
  const { 'x-assay-endpoint': endpoint, 'x-assay-region': region } = c.env.request.origin.custom.customHeaders;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
  const s3 = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: region[0].value });
  const values = [];
  for (const key of ['layer/current', 'tenants/acme/current'])
    values.push(await (await s3.fetch(endpoint[0].value + '/b/edge/' + key + '.json')).json());
  return c.json({ tools: values.length });
});
export const handler = handle(app);
`;

async function benchStart(rounds: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-'));
  const entryOf = (name: string): string => fileURLToPath(new URL(`./.${name}.js`, import.meta.url));
  const world = await makeEdgeWorld();
  await fillEdgeWorld(world);
  // Published as of one hour from now, so that it is never stale during the bench.
  await world.publish(Date.now() + 3_600_000);
  const s3 = await servePublished(world.blobs);
  try {
    await writeFile(entryOf('bare'), BARE);
    await writeFile(entryOf('bare-reading'), BARE_READING);
    const edge = await buildEdge(join(folder, 'edge.mjs'));
    const bare = await buildEdge(join(folder, 'bare.mjs'), entryOf('bare'));
    const reading = await buildEdge(join(folder, 'bare-reading.mjs'), entryOf('bare-reading'));
    const custom = { 'x-assay-bucket': 'b', 'x-assay-region': 'eu-central-1', 'x-assay-endpoint': s3.endpoint };
    const headers = { authorization: `Bearer ${world.keys.acme}` };
    const runner = join(folder, 'run.mjs');
    await writeFile(runner, RUNNER);
    const asking = edgeEvent('/v1/tools?limit=5', headers, { custom });
    const runs = {
      bare: [bare.file, asking],
      passing: [edge.file, edgeEvent('/v1/usage', headers, { custom })],
      refusing: [edge.file, edgeEvent('/v1/tools', {}, { custom })],
      'bare reading': [reading.file, asking],
      answering: [edge.file, asking],
    } as const;
    const times = new Map<string, Start[]>();
    for (let round = 0; round < rounds; round++)
      for (const [name, [file, event]] of Object.entries(runs))
        times.set(name, [...(times.get(name) ?? []), await timeStart(runner, file, event)]);
    console.log(`edge bundle ${edge.bytes} bytes, bare Hono bundle ${bare.bytes} bytes; ${rounds} alternating starts`);
    report(times);
  } finally {
    await s3.close();
    for (const name of ['bare', 'bare-reading']) await rm(entryOf(name), { force: true });
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reports the first quartile, which shows the cost of the code; slower runs show how busy the machine was. */
function report(times: ReadonlyMap<string, readonly Start[]>): void {
  const fastest = (what: string, of: (start: Start) => number): number =>
    quantile((times.get(what) ?? []).map(of), 0.25);
  const baseOf = (what: string): string => (what === 'answering' ? 'bare reading' : 'bare');
  const rows = [...times.keys()].map((what) => ({
    what,
    ms: fastest(what, ({ ms }) => ms).toFixed(1),
    'processor ms': fastest(what, ({ cpu }) => cpu).toFixed(1),
    against: baseOf(what),
    ratio: (fastest(what, ({ ms }) => ms) / fastest(baseOf(what), ({ ms }) => ms)).toFixed(2),
    'processor ratio': (fastest(what, ({ cpu }) => cpu) / fastest(baseOf(what), ({ cpu }) => cpu)).toFixed(2),
  }));
  printTable(rows);
  const worst = Math.max(...rows.filter(({ what }) => !what.startsWith('bare')).map(({ ratio }) => Number(ratio)));
  judge(`start to first answer at most 1.3x a bare Hono bundle of the same kind: ${worst}x`, worst <= 1.3);
}

/** Starts as Lambda does: loads the module, calls the handler once, and prints the time since the process began. */
const RUNNER = `const [, , file, event] = process.argv;
const { handler } = await import(file);
const result = await handler(JSON.parse(event));
const { user, system } = process.cpuUsage();
process.stdout.write(JSON.stringify({ ms: performance.now(), cpu: (user + system) / 1000, status: result.status ?? 'passed' }));
`;

interface Start {
  readonly ms: number;
  /** CPU time, which other processes do not affect. */
  readonly cpu: number;
}

const timeStart = (runner: string, file: string, event: unknown): Promise<Start> =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
    const child = spawn(process.execPath, [runner, file, JSON.stringify(event)], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    child.on('close', () => {
      try {
        resolve(JSON.parse(text) as Start);
      } catch (thrown) {
        reject(thrown);
      }
    });
  });

async function servePublished(blobs: Blobs) {
  const server = createServer(async (request, response) => {
    const key = decodeURIComponent((request.url ?? '').replace(/^\/b\//, ''));
    const bytes = await blobs.get(key);
    response.writeHead(bytes ? 200 : 404, { 'content-type': 'application/json' }).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

function benchConversion(): void {
  const catalog = catalogOf(1000);
  const query = readDefinitionsQuery({});
  const rows = providerNames.map((provider) => {
    // The code is warm but the definitions are not cached: each round converts all of them again.
    const cold = Array.from({ length: 5 }, () => time(() => createDefinitions().tools({ catalog }, provider, query)));
    const definitions = createDefinitions();
    definitions.tools({ catalog }, provider, query);
    const cached = Array.from({ length: 100 }, () => time(() => definitions.tools({ catalog }, provider, query)));
    return { provider, 'cold ms': quantile(cold, 0.25).toFixed(1), 'cached ms': quantile(cached, 0.5).toFixed(4) };
  });
  printTable(rows);
  judge(
    '1,000 tools converted cold within 100 ms',
    rows.every((row) => Number(row['cold ms']) <= 100),
  );
  judge(
    '1,000 tools answered from the cache within 1 ms',
    rows.every((row) => Number(row['cached ms']) <= 1),
  );
}

/** Realistic tools: nested, with bounds, unions and references. */
function catalogOf(count: number): Catalog {
  const registry = createRegistry();
  for (let n = 0; n < count; n++)
    registry.register(
      aTool({
        name: `tool_${String(n).padStart(4, '0')}`,
        handler: `h${n}`,
        description: `The tool number ${n}, which looks something up and says what it found about it in detail`,
        parameters: {
          type: 'object',
          $defs: {
            place: {
              type: 'object',
              properties: { x: { type: 'number', exclusiveMinimum: 0 }, y: { type: 'number' } },
              required: ['x'],
            },
          },
          properties: {
            text: { type: 'string', minLength: 1, maxLength: 100 + n, description: 'What to look for' },
            kind: { enum: ['one', 'two', 'three'], description: 'Which kind of thing' },
            size: { type: ['integer', 'null'], minimum: 0, maximum: n + 1 },
            place: { $ref: '#/$defs/place' },
            options: { type: 'array', items: { oneOf: [{ type: 'string' }, { const: n }] }, maxItems: 5 },
          },
          required: ['text'],
          additionalProperties: false,
        },
      }),
    );
  const { tools } = registry.snapshot();
  const families = tools.map(({ spec, enabled, default_version, history }) => ({
    name: spec.name,
    enabled,
    default_version,
    versions: history,
  }));
  return new Catalog(new Map(), families, 1);
}

const time = (work: () => unknown): number => {
  const started = performance.now();
  work();
  return performance.now() - started;
};

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;
