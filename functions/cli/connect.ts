import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Assay } from '../../shared/assay.ts';
import { suggest } from '../../shared/kernel/did-you-mean.ts';
import { Fault, messageOf } from '../../shared/kernel/errors.ts';
import { configFileOf, type Environment } from '../compose/local-environment.ts';
import { type ApiClient, createClient } from './client.ts';
import { type Cli, type Command, UsageError } from './command.ts';
import type { CliLog } from './log.ts';
import { profilesFile, readProfiles } from './profiles.ts';

/** The server, or the product in this process, that a command uses. */
export interface Connection {
  readonly client: ApiClient;
  readonly assay?: Assay;
}

interface Options {
  readonly environment: Environment;
  readonly values: Cli['values'];
  readonly log: CliLog;
  readonly command: Pick<Command, 'takesUpRuns' | 'takesUploads'>;
}

export const connect = async ({ environment, values, log, command }: Options): Promise<Connection> => {
  const server = await serverOf(environment, values);
  const tenant = text(values.tenant);
  if (server) return { client: createClient({ send: reach(server.url), key: server.key, tenant }) };
  // This key exists only in this process: access to the data directory is permission enough.
  const key = randomBytes(24).toString('base64url');
  // Loaded only when the product runs in this process.
  const [{ createApp }, { SegmentRouter }, { inProcess }, { localAssay }, { readConfiguredSources }] =
    await Promise.all([
      import('../api/app.ts'),
      import('../api/lambda/segment-router.ts'),
      import('./in-process.ts'),
      import('../compose/local-assay.ts'),
      import('../../shared/adapters/files/configured-sources.ts'),
    ]);
  const configured = await readConfiguredSources(configFileOf(environment));
  const data = text(values.data) ?? environment.ASSAY_DATA;
  const { takesUpRuns = false, takesUploads = false } = command;
  const base = takesUploads ? () => IN_PROCESS : undefined;
  const assay = await localAssay({ environment, data, log, adminKey: key, takesUpRuns, base, configured });
  const uploads = takesUploads ? await uploadsOf(assay, data) : undefined;
  // For a few requests, a table of all routes is not worth building.
  const app = createApp(assay, uploads ? { routes: uploads.routes } : { router: new SegmentRouter() });
  const close = async () => {
    await uploads?.close();
    await assay.close();
  };
  return { client: createClient({ send: inProcess((request) => app.fetch(request)), key, tenant, close }), assay };
};

/** The base URL of requests within the process, which is never connected to. */
const IN_PROCESS = 'http://in-process.invalid';

const uploadsOf = async (assay: Assay, data: string) => {
  const [{ localUploads, signedUploadRoutes }, { uploadSecret }] = await Promise.all([
    import('./local-uploads.ts'),
    import('../compose/local-secrets.ts'),
  ]);
  const uploads = localUploads(assay, resolve(data));
  return { routes: signedUploadRoutes(assay, uploads, uploadSecret(resolve(data))), close: () => uploads.close() };
};

export interface Server {
  readonly url: string;
  readonly key: string;
}

/** The server from the options, environment or login; undefined when the command works on the data directory. */
export const serverOf = async (environment: Environment, values: Cli['values']): Promise<Server | undefined> => {
  const [given, profile] = [text(values.url), text(values.profile)];
  const named = profile === undefined && text(values.data) === undefined ? environment.ASSAY_URL : undefined;
  const url = given ?? named;
  if (url !== undefined) {
    const key = text(values.key) ?? environment.ASSAY_KEY;
    if (key === undefined) throw new UsageError('--url needs --key, or the environment variable ASSAY_KEY');
    return { url, key };
  }
  if (text(values.data) !== undefined && profile === undefined) return undefined;
  const { current, profiles } = await readProfiles(profilesFile(environment));
  const name = profile ?? current;
  if (name === undefined) return undefined;
  const found = profiles[name];
  if (found) return found;
  throw new UsageError(`there is no profile ${name}${suggest(name, Object.keys(profiles))}; make it with assay login`);
};

/** Sends requests to a server; one that cannot be reached is reported in one sentence. */
export const reach =
  (url: string) =>
  async (path: string, init: RequestInit): Promise<Response> => {
    try {
      return await fetch(new URL(path, url), init);
    } catch (thrown) {
      if (init.signal?.aborted) throw thrown;
      throw unreachable(url, thrown);
    }
  };

const unreachable = (url: string, thrown: unknown): Fault => {
  const cause = (thrown as { readonly cause?: { readonly code?: string; readonly message?: string } }).cause;
  const why = cause?.code ?? cause?.message ?? messageOf(thrown);
  return new Fault(
    'Unavailable',
    `the server at ${url} cannot be reached (${why}); check the address, or start one with: npx assay serve`,
    { url },
    { cause: thrown },
  );
};

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
