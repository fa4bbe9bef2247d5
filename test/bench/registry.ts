import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createApp } from '../../functions/api/app.ts';
import { listen } from '../../functions/cli/listen.ts';
import { jsonLog } from '../../shared/adapters/files/json-log.ts';
import { sqliteTable } from '../../shared/adapters/sqlite/table.ts';
import type { Family } from '../../shared/model/registration.ts';
import { Catalog } from '../../shared/registry/catalog.ts';
import { changeFamilies } from '../../shared/registry/families.ts';
import { parseDefinition } from '../../shared/registry/parse-definition.ts';
import { registerVersion, toRecord } from '../../shared/registry/register.ts';
import { createSearchIndex } from '../../shared/search/search-index.ts';
import { testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';
import { judge } from './report.ts';
import { alternate, median, printRows, requestsPerSecond, timeOf } from './support/measure.ts';

const words =
  'weather city mail message file image picture report money invoice travel hotel flight song video user order price chart search'.split(
    ' ',
  );

const families = (count: number): readonly Family[] =>
  Array.from({ length: count }, (_, index) => {
    const [a, b, c] = [words[index % 20], words[(index * 7) % 19], words[(index * 13) % 17]];
    const spec = parseDefinition(
      aTool({
        name: `${a}_${b}_${index}`,
        description: `Handle ${a} and ${b} for the ${c} of number ${index}`,
        tags: [a, c],
        category: b,
      }),
    );
    return registerVersion(undefined, toRecord(spec, '2026-01-01T00:00:00Z')).family;
  });

const ms = (value: number): string => `${value.toFixed(value < 0.1 ? 5 : 2)} ms`;

/** Lookup, list, search, start-up and HTTP of the registry. */
export const bench = async (): Promise<void> => {
  const many = families(100_000);
  const catalogs = { small: new Catalog(new Map(), many.slice(0, 100)), large: new Catalog(new Map(), many) };
  const lookup = await alternate(7, {
    small: () => timeOf(() => catalogs.small.get(many[42]?.name ?? ''), { calls: 20_000, batches: 3 }),
    large: () => timeOf(() => catalogs.large.get(many[42]?.name ?? ''), { calls: 20_000, batches: 3 }),
  });
  const middle = catalogs.large.names()[50_000] ?? '';
  const page = await timeOf(
    () =>
      catalogs.large
        .list({ after: middle, limit: 100 })
        .entries.map(({ answer }) => answer.body)
        .join(','),
    { calls: 5 },
  );
  const tagged = await timeOf(() => catalogs.large.list({ filter: { tags: ['city'], category: 'mail' }, limit: 100 }), {
    calls: 5,
  });
  const index = createSearchIndex();
  for (const { versions } of many.slice(0, 4000)) if (versions[0]) index.set(versions[0].spec);
  const queries = ['send a mail message', 'weather of a city', 'invoice number 17', 'picture report', '天气'];
  const search = await timeOf(() => index.search(queries[Math.trunc(performance.now()) % 5] ?? '', { limit: 20 }), {
    calls: 50,
  });

  printRows('catalogue', [
    ['lookup by name, 100 tools', ms(lookup.small)],
    ['lookup by name, 100,000 tools', ms(lookup.large)],
    ['  ratio', (lookup.large / lookup.small).toFixed(2), 'within 2'],
    ['page of 100 out of 100,000', ms(page), 'within 10 ms'],
    ['page of 100 by tag and category out of 100,000', ms(tagged), 'within 10 ms'],
    ['search over 4,000 tools, median', ms(search), 'within 1 ms'],
  ]);
  await startUp(many.slice(0, 10_000));
  await http();
};

const startUp = async (stored: readonly Family[]): Promise<void> => {
  const cwd = await mkdtemp(join(tmpdir(), 'assay-bench-'));
  const table = sqliteTable({ path: join(cwd, 'assay.db') });
  for (let start = 0; start < stored.length; start += 45) {
    const batch = stored.slice(start, start + 45);
    const names = batch.map(({ name }) => name);
    await changeFamilies({ table }, 'default', names, 0, () => ({
      families: new Map(batch.map((each) => [each.name, each])),
      result: undefined,
    }));
  }
  await table.close();
  const key = 'an-admin-key-for-the-bench';
  const started = performance.now();
  const server = spawn(process.execPath, ['functions/cli/assay.js', 'serve', '--port', '0', '--data', cwd], {
    env: { ...process.env, ASSAY_ADMIN_KEY: key },
  });
  server.stderr.resume();
  const [greeting] = (await once(server.stdout, 'data')) as [Buffer];
  const greeted = performance.now() - started;
  const address = /http:\/\/[\d.:]+/.exec(String(greeting))?.[0] ?? '';
  const response = await fetch(`${address}/v1/tools?limit=1`, { headers: { authorization: `Bearer ${key}` } });
  await response.text();
  const answered = performance.now() - started;
  server.kill();
  await once(server, 'close');
  await rm(cwd, { recursive: true });
  printRows('start-up with 10,000 stored tools', [
    ['until it listens', ms(greeted)],
    ['until its first answer from the store', ms(answered), 'within 1,500 ms'],
  ]);
};

const MILLISECONDS = 1000;

const http = async (): Promise<void> => {
  const log = jsonLog(() => {});
  const { assay, json, key } = await testAssay({ log });
  await json('POST', '/v1/tools', aTool());
  const reader = await key({ scopes: ['read'] });
  const body = JSON.stringify((await json('GET', '/v1/tools/weather_lookup')).body);
  const bare = new Hono().get('/constant', (c) => c.body(body, 200, { 'content-type': 'application/json' }));
  const ours = await listen(createApp(assay), '127.0.0.1', 0);
  const theirs = serve({ fetch: bare.fetch, hostname: '127.0.0.1', port: 0 });
  await once(theirs, 'listening');
  const rounds = { bare: [] as Round[], assay: [] as Round[] };
  // Hono's own server serves the bare route, with the same headers. The client is a separate process, so this process's
  // CPU time is that of its servers.
  const drive = (name: keyof typeof rounds, port: number, path: string) => async () => {
    const before = process.cpuUsage();
    const rate = await requestsPerSecond(port, path, reader, MILLISECONDS);
    const { user, system } = process.cpuUsage(before);
    rounds[name].push({ rate, cpu: (user + system) / ((rate * MILLISECONDS) / 1000) });
    return rate;
  };
  const measurements = {
    bare: drive('bare', (theirs.address() as AddressInfo).port, '/constant'),
    assay: drive('assay', Number(new URL(ours.address).port), '/v1/tools/weather_lookup'),
  };
  // The first seconds warm up both servers.
  await alternate(2, measurements);
  for (const list of Object.values(rounds)) list.length = 0;
  await alternate(15, measurements);
  theirs.close();
  await ours.close();
  // The median of the rounds' ratios, because the load of the machine changes between rounds.
  const ratio = (of: (bare: Round, assay: Round) => number): number =>
    median(rounds.bare.map((bare, index) => of(bare, rounds.assay[index] as Round)));
  const [byRate, byCpu] = [
    ratio((bare, assay) => assay.rate / bare.rate),
    ratio((bare, assay) => bare.cpu / assay.cpu),
  ];
  const middle = (name: keyof typeof rounds, what: keyof Round): number => median(rounds[name].map((one) => one[what]));
  printRows('HTTP, GET /v1/tools/:name with key, log and freshness', [
    ['bare Hono route with a constant body', `${middle('bare', 'rate').toFixed(0)} /s`],
    ['Assay', `${middle('assay', 'rate').toFixed(0)} /s`],
    ['  ratio', byRate.toFixed(2), 'at least 0.8'],
    ['CPU time of a bare answer', `${middle('bare', 'cpu').toFixed(1)} us`],
    ['CPU time of ours', `${middle('assay', 'cpu').toFixed(1)} us`],
    ['  ratio', byCpu.toFixed(2), 'at least 0.8'],
  ]);
  judge('a lookup reaches 0.8 of a bare route’s rate', byRate >= 0.8);
  // CPU time is judged, because the rate also depends on the client and on other load.
  judge('a lookup takes at most 1.25 times the CPU time of a bare route', byCpu >= 0.8);
};

interface Round {
  readonly rate: number;
  /** Microseconds per answer. */
  readonly cpu: number;
}
