import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fixedAdminKey } from '../../shared/access/admin-key.ts';
import { digestOfKey } from '../../shared/access/secret.ts';
import { fileBlobs } from '../../shared/adapters/files/blobs.ts';
import { createDiscover } from '../../shared/adapters/files/discover.ts';
import { localSignPut } from '../../shared/adapters/files/signed-put.ts';
import { openAiCompatibleLlm } from '../../shared/adapters/llm/openai-compatible.ts';
import { nodeGauge } from '../../shared/adapters/node/gauge.ts';
import { createPluginHost } from '../../shared/adapters/node/plugin-host.ts';
import { sqliteTable } from '../../shared/adapters/sqlite/table.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { type Assay, composeAssay } from '../../shared/assay.ts';
import { Fault, messageOf } from '../../shared/kernel/errors.ts';
import type { Clock, Log } from '../../shared/kernel/ports.ts';
import { builtinTools, filesFolders } from './builtin-tools.ts';
import type { Environment } from './local-environment.ts';
import { localIqa } from './local-iqa.ts';
import { localRuns } from './local-runs.ts';
import { uploadSecret } from './local-secrets.ts';
import { shippedHandlers, shippedPrices, shippedTools } from './shipped-tools.ts';

export interface LocalOptions {
  readonly environment: Environment;
  readonly data: string;
  readonly log: Log;
  /** An admin key that holds for this process alone. */
  readonly adminKey?: string;
  /** Where this process answers, if it does: pictures can be uploaded there. */
  readonly base?: () => string;
  /** The machine's own unless given. */
  readonly clock?: Clock;
}

/** The whole product on one machine: SQLite and files in the data directory. */
export const localAssay = async ({
  environment,
  data,
  log,
  adminKey,
  base,
  clock = systemClock(),
}: LocalOptions): Promise<Assay> => {
  const folder = resolve(data);
  makeFolder(folder);
  const table = sqliteTable({ path: join(folder, 'assay.db'), now: clock.now });
  const gauge = nodeGauge();
  const discover = createDiscover({
    root: process.cwd(),
    load: createPluginHost({ gauge }).load,
    configFile: environment.ASSAY_CONFIG ?? 'assay.config.json',
    configRequired: environment.ASSAY_CONFIG !== undefined,
    pluginsDir: environment.ASSAY_PLUGINS_DIR,
  });
  const fixed = adminKey ?? environment.ASSAY_ADMIN_KEY;
  const blobs = fileBlobs(join(folder, 'blobs'));
  const providers = environment.ASSAY_PROVIDERS === undefined ? {} : { providers: environment.ASSAY_PROVIDERS };
  const iqa = await localIqa({ folder, table, blobs, clock, log, ...providers });
  const folderOf = filesFolders(folder, environment.ASSAY_FILES_DIR);
  const shipped = { iqa, builtin: builtinTools({ gauge, readImage: iqa.readImage, folderOf }) };
  return composeAssay({
    table,
    clock,
    log,
    random: (bytes) => randomBytes(bytes),
    discover: async () => [await shippedTools(shipped), ...(await discover())],
    handlers: shippedHandlers(shipped),
    gauge,
    blobs,
    iqa,
    prices: shippedPrices(),
    ...llmOf(environment),
    startRuns: (context) => localRuns(context, blobs, base !== undefined),
    ...(base === undefined ? {} : { signPut: localSignPut({ secret: uploadSecret(folder), base, now: clock.now }) }),
    ...(fixed === undefined ? {} : { adminKey: fixedAdminKey(digestOfKey(fixed)) }),
  });
};

/** A language model that speaks OpenAI's protocol, such as Ollama's; the rules decide without one. */
const llmOf = ({ ASSAY_LLM_URL: url, ASSAY_LLM_KEY: key, ASSAY_LLM_MODEL: model }: Environment) =>
  url === undefined ? {} : { llm: openAiCompatibleLlm({ url, key, model }) };

const makeFolder = (folder: string): void => {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw new Fault(
      'Unavailable',
      `the data directory ${folder} cannot be made (${messageOf(cause)}); choose another with --data`,
      {},
      { cause },
    );
  }
};
