import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { createKey, listKeys } from '../../../shared/access/api-keys.ts';
import { adminActor } from '../../../shared/access/scopes.ts';
import { readConfiguredSources } from '../../../shared/adapters/files/configured-sources.ts';
import { jsonLog } from '../../../shared/adapters/files/json-log.ts';
import type { Assay } from '../../../shared/assay.ts';
import { createCallCounters } from '../../../shared/insight/call-counters.ts';
import { messageOf } from '../../../shared/kernel/errors.ts';
import { scheduleSources } from '../../../shared/sources/schedule.ts';
import { createApp } from '../../api/app.ts';
import { authServerRoutes } from '../../api/auth-server/routes.ts';
import { localAssay } from '../../compose/local-assay.ts';
import { configFileOf, type Environment } from '../../compose/local-environment.ts';
import { uploadSecret } from '../../compose/local-secrets.ts';
import type { ConsoleFiles } from '../../console/files.ts';
import { boundHeap } from '../bound-heap.ts';
import { type Cli, type Command, option, textOption, UsageError } from '../command.ts';
import { consoleRoutes } from '../console-files.ts';
import { watchInbox } from '../inbox.ts';
import { type Listening, listen } from '../listen.ts';
import { localUploads, signedUploadRoutes } from '../local-uploads.ts';
import { metricsRoute } from '../metrics-route.ts';
import { warmIqa } from '../warm-iqa.ts';

const DEFAULT_PORT = 8787;
/** How long the console link is valid that is printed at each start. */
const LINK_MS = 12 * 3_600_000;

export const serve: Command = {
  usage: 'serve [--port 8787] [--host 127.0.0.1] [--data .assay]',
  summary: 'Runs the whole product on this machine until it is told to stop',
  options: {
    port: option('N', '8787 unless given; 0 takes a free one'),
    host: option('ADDRESS', '127.0.0.1 unless given, which only this machine reaches'),
  },
  async run(cli) {
    const port = portOf(textOption(cli, 'port'));
    const host = textOption(cli, 'host') ?? '127.0.0.1';
    const data = textOption(cli, 'data') ?? cli.environment.ASSAY_DATA;
    // JSON lines for services, text for a terminal, unless an option says otherwise.
    const isWatched = process.stderr.isTTY === true || textOption(cli, 'log') === 'lines';
    const log = isWatched ? cli.log : jsonLog((text) => void process.stderr.write(text));
    const stopping = new AbortController();
    const unboundHeap = boundHeap();
    const link = { key: `lk_${randomBytes(24).toString('base64url')}`, until: Date.now() + LINK_MS };
    let address = '';
    const counters = createCallCounters();
    const { observe } = counters;
    const configured = await readConfiguredSources(configFileOf(cli.environment));
    const assay = await localAssay({
      environment: cli.environment,
      data,
      log,
      observe,
      linkKey: link,
      base: () => address,
      configured,
    });
    const uploads = localUploads(assay, resolve(data));
    const app = createApp(assay, {
      routes: [
        ...consoleRoutes((files) => warm(assay, files, stopping.signal)),
        ...signedUploadRoutes(assay, uploads, uploadSecret(resolve(data))),
        ...(assay.oauth?.authServer ? authServerRoutes(assay, assay.oauth.authServer) : []),
        metricsRoute({ counters, isOpenHere: cli.environment.ASSAY_METRICS === 'local' }),
      ],
    });
    const server = await listen(app, host, port);
    address = server.address;
    const inbox = await watchInbox(join(resolve(data), 'inbox'), assay, uploads);
    const schedule = scheduleSources(assay, configured);
    const admin = await firstAdminKey(assay, cli.environment);
    // Registered before the address is printed, so that no signal is missed.
    const told = untilSignal();
    cli.output.line(cli.output.prose(greeting({ address, data: resolve(data), assay, admin, link: link.key })));
    // On one line, so that it can be copied; in quotes, since zsh would look for files that match the question mark.
    cli.output.line(
      `\nTry it:\n  curl -H "Authorization: Bearer ${admin ?? '$ASSAY_KEY'}" "${address}/v1/tools?limit=3"`,
    );
    await told;
    stopping.abort();
    await tellWaiting(cli, server);
    inbox.close();
    await server.close();
    await schedule.stop();
    await uploads.close();
    await assay.close();
    unboundHeap();
    log.flush();
    return 0;
  },
};

const portOf = (text: string | undefined): number => {
  const port = text === undefined ? DEFAULT_PORT : Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError(`--port ${text} is not a port; give a number from 0 to 65535`);
};

/** Creates the first admin key of a data directory without keys. */
const firstAdminKey = async (assay: Assay, environment: Environment): Promise<string | undefined> => {
  if (environment.ASSAY_ADMIN_KEY !== undefined) return undefined;
  const { keys } = await listKeys(assay, adminActor(), { limit: 1 });
  if (keys.length > 0) return undefined;
  const { key } = await createKey(assay, adminActor(), { name: 'first admin', scopes: ['admin'] });
  return key;
};

interface Greeting {
  readonly address: string;
  readonly data: string;
  readonly assay: Assay;
  readonly admin: string | undefined;
  readonly link: string;
}

const greeting = ({ address, data, assay, admin, link }: Greeting): string => {
  const { registered, refused, skipped } = assay.report();
  const lines = [
    `Assay is listening on ${address}`,
    `  console   ${address}/#key=${link} (this link holds for 12 hours)`,
    `  data      ${data} (put pictures into its inbox folder to have them scored)`,
    `  tools     ${registered.length} loaded${refused.length + skipped.length > 0 ? `, ${refused.length} refused, ${skipped.length} skipped (assay tools list --report)` : ''}`,
  ];
  if (admin !== undefined)
    lines.push(
      `  admin key ${admin}`,
      '            shown this once: keep it, or make another with: npx assay keys create --scopes admin',
    );
  return lines.join('\n');
};

/** Says what shutdown waits for after Ctrl-C; a second Ctrl-C ends at once. */
const tellWaiting = async (cli: Cli, server: Listening): Promise<void> => {
  if (process.stderr.isTTY !== true) return;
  const open = await server.open();
  cli.output.note(
    open === 0
      ? 'stopping: storing what is left'
      : `stopping: waiting up to 5 s for ${open} ${open === 1 ? 'request' : 'requests'}; Ctrl-C again stops at once`,
  );
  process.once('SIGINT', () => process.exit(130));
};

/** Loads the metrics when somebody opens the console, so that their first score does not wait. */
const warm = ({ iqa, log }: Assay, files: ConsoleFiles, stopping: AbortSignal): void => {
  const sample = files.get('console/samples/chelsea-jpeg.jpg')?.body;
  if (iqa && sample)
    warmIqa(iqa, sample, log).catch((error: unknown) => {
      if (!stopping.aborted) log.warn('image tools not warmed', { error: messageOf(error) });
    });
};

const untilSignal = (): Promise<void> =>
  new Promise((done) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => done());
  });
