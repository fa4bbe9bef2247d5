import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleFunction } from '../../infra/build/bundle.ts';
import { ADMIN_SECRET, ORIGIN_SECRET, startAws } from '../support/aws-services.ts';
import { urlEvent } from '../support/lambda.ts';

const headers = { 'x-assay-origin': ORIGIN_SECRET, authorization: `Bearer ${ADMIN_SECRET}` };
const body = JSON.stringify({ arguments: { text: 'a', operation: 'encode' } });
const invoke = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };

/** The first events of each function, in the order in which its modules are bundled. */
const EVENTS = {
  api: {
    start: urlEvent({ path: '/v1/tools', query: 'limit=1', headers }),
    call: urlEvent({ path: '/v1/tools/base64/invoke', ...invoke }),
  },
  step: { start: { clean_up: true } },
  upload: { start: { 'detail-type': 'none' } },
  stream: { start: { Records: [], state: {} } },
} as const;

const FILE = new URL('../../infra/build/start-modules.json', import.meta.url);
const STARTER = fileURLToPath(new URL('./support/start-bundle.ts', import.meta.url));

/** Records which modules the first events of each function load; bundling groups modules into files by it. */
export async function bench(): Promise<void> {
  const aws = await startAws();
  const folder = await mkdtemp(join(tmpdir(), 'assay-'));
  try {
    const noted: Record<string, Record<string, readonly string[]>> = {};
    for (const [name, events] of Object.entries(EVENTS)) {
      const outdir = join(folder, name);
      await bundleFunction({ entry: `functions/${name}/index.ts`, outdir, noted: true });
      const before = new Set<string>();
      for (const [when, event] of Object.entries(events)) {
        const ran = (await modulesOf(outdir, name, event, aws.environment)).filter((module) => !before.has(module));
        for (const module of ran) before.add(module);
        noted[name] = { ...noted[name], [when]: ran.sort() };
        console.log(`${name}, ${when}: ${ran.length} modules`);
      }
    }
    await writeFile(FILE, `${JSON.stringify(noted, undefined, 2)}\n`);
  } finally {
    await aws.stop();
    await rm(folder, { recursive: true });
  }
}

const modulesOf = async (
  folder: string,
  name: string,
  event: unknown,
  environment: Readonly<Record<string, string>>,
): Promise<string[]> => {
  const { stderr } = await promisify(execFile)(
    process.execPath,
    [STARTER, folder, name === 'api' ? 'stream' : 'plain', JSON.stringify(event)],
    { env: { ...process.env, ...environment } },
  );
  return (JSON.parse(stderr.slice(stderr.lastIndexOf('{'))) as { modules: string[] }).modules;
};
