import { readFile, writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { type ApiHandler, sendTo } from '../support/api-bundle.ts';
import { startAws } from '../support/aws-services.ts';
import { bundleAll } from '../support/bundles.ts';
import { callEdge, edgeEvent } from '../support/edge.ts';
import { loadHandler } from '../support/lambda.ts';
import { aTool } from '../support/tools.ts';
import { printTable } from './report.ts';

const measured = new URL('../../infra/measured.json', import.meta.url);

type Handler = (event: unknown, context?: unknown) => Promise<unknown>;

/**
 * The CPU time of one operation, through the bundles: the basis of `npm run cost`. CPU time, unlike wall time, excludes
 * other load on this machine. `--write` saves it.
 */
export async function bench(args: readonly string[]): Promise<void> {
  const entries = { api: 'functions/api/index.ts', edge: 'functions/edge/index.ts' } as const;
  const [bundles, aws] = await Promise.all([bundleAll(entries), startAws()]);
  Object.assign(process.env, aws.environment);
  const write = process.stdout.write.bind(process.stdout);
  // Counts the bytes that the functions log.
  let logged = 0;
  process.stdout.write = ((text: string) => {
    logged += Buffer.byteLength(text);
    return true;
  }) as typeof process.stdout.write;
  try {
    const api = await loadHandler<ApiHandler>(bundles.built.api.folder);
    const edge = await loadHandler<Handler>(bundles.built.edge.folder);
    const sent = sendTo(() => api);
    const send: typeof sent = async (...given) => {
      const answer = await sent(...given);
      if (answer.statusCode >= 300) throw new Error(`${given[1]} was answered ${answer.statusCode}`);
      return answer;
    };
    await send('POST', '/v1/tools', aTool({ name: 'measured', parameters: { type: 'object' } }));
    const picture = await fullHd();
    // A byte appended to the picture makes it a new one, so that its score is not cached.
    const score = (round: number) =>
      send('POST', '/v1/score', {
        image: { base64: Buffer.concat([picture, Buffer.from([round])]).toString('base64') },
      });
    const pass = edgeEvent('/v1/tools/measured', { authorization: 'Bearer none' });
    const loggedBy = async (call: () => Promise<unknown>): Promise<number> => {
      const before = logged;
      for (let n = 0; n < 20; n++) await call();
      return Math.round((logged - before) / 20);
    };
    const figures = {
      edge_request_ms: await processorMs(200, () => callEdge(edge as never, pass)),
      api_lookup_ms: await processorMs(200, () => send('GET', '/v1/tools/measured')),
      api_invoke_ms: await processorMs(50, () => send('POST', '/v1/tools/measured/invoke', { arguments: {} })),
      score_full_hd_ms: await processorMs(8, score),
      log_bytes_invoke: await loggedBy(() => send('POST', '/v1/tools/measured/invoke', { arguments: {} })),
    };
    process.stdout.write = write;
    printTable(Object.entries(figures).map(([what, figure]) => ({ what, figure })));
    if (args.includes('--write')) {
      const before = JSON.parse(await readFile(measured, 'utf8'));
      await writeFile(measured, `${JSON.stringify({ ...before, ...figures }, undefined, 2)}\n`);
    }
  } finally {
    process.stdout.write = write;
    await aws.stop();
    await bundles.remove();
  }
}

const fullHd = async (): Promise<Buffer> => {
  const file = await readFile(new URL('../golden/iqa/astronaut.png', import.meta.url));
  return sharp(file).resize(1920, 1080, { fit: 'fill' }).jpeg({ quality: 90 }).toBuffer();
};

const processorMs = async (calls: number, call: (round: number) => Promise<unknown>): Promise<number> => {
  const WARM = 4;
  for (let round = 0; round < WARM; round++) await call(round);
  const before = process.cpuUsage();
  // Continues the round numbers of the warm-up, because scores of earlier rounds are cached.
  for (let round = WARM; round < WARM + calls; round++) await call(round);
  const { user, system } = process.cpuUsage(before);
  return Number(((user + system) / 1000 / calls).toPrecision(3));
};
