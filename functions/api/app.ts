import { Hono } from 'hono';
import { LRUCache } from 'lru-cache';
import type { Assay } from '../../shared/assay.ts';
import { createEndOfTurn } from '../../shared/kernel/end-of-turn.ts';
import { createOwnTurn } from '../../shared/kernel/own-turn.ts';
import { buildRequest } from '../../shared/providers/request.ts';
import { createDefinitions } from '../../shared/registry/lookup/definitions.ts';
import { createNameTables } from '../../shared/registry/lookup/name-tables.ts';
import { createAdmission } from './admission.ts';
import type { Api, ApiContext, App, Env } from './env.ts';
import { answerErrors, unknownCall } from './errors.ts';
import { createRequestLog } from './identify.ts';
import type { McpNames } from './mcp/guard.ts';
import type { McpService } from './mcp/service.ts';
import { createStreamLimit } from './open-streams.ts';
import type { AnyRoute } from './route.ts';
import { routes } from './routes/table.ts';
import { type Front, serveRoute, traced } from './serve-route.ts';

interface Options extends McpNames {
  /** Routes of this server alone, such as its console. */
  readonly routes?: readonly AnyRoute[];
}

/** The HTTP API as a function of its dependencies. */
export const createApp = (assay: Assay, { routes: added = [], ...names }: Options = {}): App => {
  const front: Front = {
    api: createApi(assay, names),
    requests: createRequestLog(assay),
    admission: createAdmission(assay),
    answerError: answerErrors(assay.log, assay.oauth),
  };
  const app = new Hono<Env>();
  for (const each of [...routes, ...added]) {
    const handler = serveRoute(front, each);
    if (each.method === 'all') app.all(each.path, handler);
    else app.on(each.method.toUpperCase(), each.path, handler);
  }
  app.get('/openapi.json', traced(front, openApiHandler()));
  app.notFound(traced(front, refuseUnknown(front)));
  return app;
};

const createApi = (assay: Assay, names: McpNames): Api => {
  let mcp: Promise<McpService> | undefined;
  return {
    ...assay,
    definitions: createDefinitions({ answers: new LRUCache({ max: 1000, maxSize: 64_000_000 }), build: buildRequest }),
    namesOf: createNameTables(),
    holdStream: createStreamLimit(),
    endOfTurn: createEndOfTurn(),
    ownTurn: createOwnTurn(),
    mcp: () => (mcp ??= import('./mcp/service.ts').then(({ createMcpService }) => createMcpService(assay, names))),
  };
};

/** Made from the table when it is first asked for; what makes it is not loaded by every start. */
const openApiHandler = () => {
  let document: Promise<string> | undefined;
  return async (): Promise<Response> => {
    document ??= import('./openapi.ts').then(({ openApiDocument }) => openApiDocument(routes));
    return new Response(await document, { headers: { 'content-type': 'application/json' } });
  };
};

/** Without a key every path under /v1 answers 401, whether or not it exists. */
const refuseUnknown =
  ({ admission }: Front) =>
  async (c: ApiContext): Promise<Response> => {
    if (c.req.path.startsWith('/v1/')) await admission(c);
    throw unknownCall(c);
  };
