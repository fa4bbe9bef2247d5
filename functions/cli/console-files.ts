import type { ApiContext, App } from '../api/env.ts';
import { buildConsole, type ConsoleFile, type ConsoleFiles, sampleFiles } from '../console/build.ts';

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** Serves the console at `/`, built when it is first asked for and kept in memory; `opened` gets its samples before. */
export const serveConsole = (app: App, opened: (samples: ConsoleFiles) => void = () => {}): void => {
  let built: Promise<ConsoleFiles> | undefined;
  const find = async (path: string): Promise<ConsoleFile | undefined> => {
    built ??= sampleFiles().then((samples) => {
      opened(samples);
      return buildConsole();
    });
    built.catch(() => {
      built = undefined;
    });
    return (await built).get(path);
  };
  app.get('/', async (c) => answerFile(c, await find('index.html')));
  app.get('/console/*', async (c) => answerFile(c, await find(c.req.path.slice(1))));
  app.get('/favicon.ico', async (c) => answerFile(c, await find('console/icon.svg')));
};

const answerFile = (c: ApiContext, file: ConsoleFile | undefined): Response | Promise<Response> => {
  if (!file) return c.notFound();
  const headers = { ...HEADERS, etag: file.etag };
  if (c.req.header('if-none-match') === file.etag) return c.body(null, 304, headers);
  return c.body(Uint8Array.from(file.body).buffer, 200, { ...headers, 'content-type': file.type });
};
