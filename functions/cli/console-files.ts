import type { ApiContext } from '../api/env.ts';
import { unknownCall } from '../api/errors.ts';
import { type AnyRoute, route } from '../api/route.ts';
import { type ConsoleFile, type ConsoleFiles, openConsole } from '../console/files.ts';

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** The console at `/`, loaded on its first request and cached; `opened` gets the samples before that. */
export const consoleRoutes = (opened: (samples: ConsoleFiles) => void = () => {}): readonly AnyRoute[] => {
  let built: Promise<ConsoleFiles> | undefined;
  const find = async (path: string): Promise<ConsoleFile | undefined> => {
    built ??= openConsole(opened);
    built.catch(() => {
      built = undefined;
    });
    return (await built).get(path);
  };
  const page = (path: string, fileOf: (c: ApiContext) => string): AnyRoute =>
    route({
      method: 'get',
      path,
      scope: 'public',
      summary: 'A file of the console',
      tag: 'Console',
      undocumented: true,
      answers: { 200: { description: 'The file' }, 304: { description: 'Not modified' } },
      handle: async ({ context }) => answerFile(context, await find(fileOf(context))),
    });
  return [
    page('/', () => 'index.html'),
    page('/console/*', (c) => c.req.path.slice(1)),
    page('/favicon.ico', () => 'console/icon.svg'),
  ];
};

const answerFile = (c: ApiContext, file: ConsoleFile | undefined): Response => {
  if (!file) throw unknownCall(c);
  const headers = { ...HEADERS, etag: file.etag };
  if (c.req.header('if-none-match') === file.etag) return new Response(null, { status: 304, headers });
  return new Response(Uint8Array.from(file.body), { headers: { ...headers, 'content-type': file.type } });
};
