import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { type Served, serveAssay } from '../support/process.ts';
import { printTable, summary } from './report.ts';

const ADMIN = 'admin-key-of-the-attack-bench';

interface Told {
  readonly status: number;
  readonly says: string;
  readonly charged: number;
}
type Attack = (call: (path: string, body: unknown) => Promise<Told>) => Promise<readonly Told[]>;

/** Every attack beside a polite client of another tenant, on a real server: `npm run bench -- attack [seconds]`. */
export async function bench(args: readonly string[]): Promise<void> {
  const seconds = Number(args[0] ?? 6);
  const folder = await mkdtemp(join(tmpdir(), 'assay-attack-'));
  const server = await serveAssay({ cwd: folder, env: { ASSAY_ADMIN_KEY: ADMIN } });
  try {
    const [polite, loud] = [await keyOf(server, 'polite'), await keyOf(server, 'loud')];
    // The first calls load what the others find loaded.
    await politely(server, polite, 2, () => false);
    const alone = summary(await politely(server, polite, seconds, () => false));
    const rows = [];
    for (const [name, attack] of Object.entries(await attacks())) {
      const peak = watchMemory(server);
      let isOver = false;
      const under = politely(server, polite, seconds, () => isOver);
      const told = await attack((path, body) => send(server, loud, path, body)).finally(() => (isOver = true));
      const { p99, max } = summary(await under);
      rows.push({
        attack: name,
        'p99 ms': p99,
        'against alone': (p99 / alone.p99).toFixed(1),
        'longest ms': max,
        'peak RSS MB': await peak(),
        told: [...new Set(told.map(({ status, says }) => `${status} ${says}`))].join(' / ').slice(0, 60),
        'charged micros': told.reduce((sum, { charged }) => sum + charged, 0),
      });
    }
    console.log(`the polite client alone: p99 ${alone.p99} ms, longest ${alone.max} ms`);
    printTable(rows);
    console.log(`restarts: ${server.child.exitCode === null ? 0 : 1}`);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const attacks = async (): Promise<Readonly<Record<string, Attack>>> => {
  const invoke =
    (tool: string, given: unknown, times: number): Attack =>
    (call) =>
      Promise.all(Array.from({ length: times }, () => call(`/v1/tools/${tool}/invoke`, { arguments: given })));
  const png = await sharp({ create: { width: 9990, height: 9990, channels: 3, background: 'red' } })
    .png({ compressionLevel: 9 })
    .toBuffer();
  const image = { base64: png.toString('base64') };
  const svg = {
    base64: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>').toString('base64'),
  };
  const loop = { data: {}, expression: '($f := function($x) { $f($x + 1) }; $f(1))' };
  return {
    'CSV bomb x 8': invoke('csv_to_json', { csv: `${','.repeat(8000)}\n${'a\n'.repeat(4000)}` }, 8),
    'endless query x 8': invoke('json_query', loop, 8),
    SVG: invoke('image_info', { image: svg }, 1),
    'PNG of 100 MP, convert x 8': invoke('image_convert', { image, format: 'jpeg' }, 8),
    'PNG of 100 MP, score x 8': (call) =>
      Promise.all(Array.from({ length: 8 }, () => call('/v1/score', { image, tools: ['entropy'] }))),
    '100,000 unknown fields': async (call) => [
      await call('/v1/feedback', Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`field_${n}`, 1]))),
    ],
  };
};

const keyOf = async (server: Served, tenant: string): Promise<string> => {
  const response = await fetch(`${server.address}/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ tenant, scopes: ['read', 'invoke'] }),
  });
  return ((await response.json()) as { key: string }).key;
};

const send = async (server: Served, key: string, path: string, body: unknown): Promise<Told> => {
  const response = await fetch(`${server.address}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as {
    readonly error?: { readonly code?: string; readonly type?: string };
    readonly charged_micros?: number;
  };
  const says = answer.error?.code ?? answer.error?.type ?? 'ok';
  return { status: response.status, says, charged: answer.charged_micros ?? 0 };
};

/** What a client waits for small calls, one after the other, for some seconds and until the attack is over. */
const politely = async (server: Served, key: string, seconds: number, isOver: () => boolean): Promise<number[]> => {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end && !(isOver() && times.length > 50)) {
    const started = performance.now();
    await send(server, key, '/v1/tools/hash/invoke', { arguments: { text: String(times.length) } });
    times.push(performance.now() - started);
  }
  return times;
};

const watchMemory = (server: Served): (() => Promise<number>) => {
  let most = 0;
  const look = async (): Promise<void> => {
    const status = await readFile(`/proc/${server.child.pid}/status`, 'utf8').catch(() => '');
    most = Math.max(most, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  };
  const timer = setInterval(() => void look(), 50);
  return async () => {
    clearInterval(timer);
    await look();
    return Math.round(most);
  };
};
