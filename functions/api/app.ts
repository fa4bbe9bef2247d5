import { Hono } from 'hono';
import { LRUCache } from 'lru-cache';
import type { Assay } from '../../shared/assay.ts';
import { createEndOfTurn } from '../../shared/kernel/end-of-turn.ts';
import { lazily } from '../../shared/kernel/lazily.ts';
import { buildRequest } from '../../shared/providers/request.ts';
import { createDefinitions } from '../../shared/registry/lookup/definitions.ts';
import { createNameTables } from '../../shared/registry/lookup/name-tables.ts';
import { requireSendable } from '../../shared/registry/lookup/require-sendable.ts';
import { createAdmission } from './admission.ts';
import { createBodyMemory } from './body-memory.ts';
import type { Api, ApiContext, App } from './env.ts';
import { answerErrors, unknownCall } from './errors.ts';
import { createRequestLog } from './identify.ts';
import type { McpNames } from './mcp/guard.ts';
import type { McpService } from './mcp/service.ts';
import { createStreamLimit } from './open-streams.ts';
import type { AnyRoute } from './route.ts';
import { nameOf, type RouteGroup, routeGroups } from './routes/groups.ts';
import { type Front, type RouteHandler, serveRoute, traced } from './serve-route.ts';

interface Options extends McpNames {
  /** Routes of this server only, such as its console. */
  readonly routes?: readonly AnyRoute[];
  /** The router, if not Hono's default. */
  readonly router?: NonNullable<ConstructorParameters<typeof Hono>[0]>['router'];
}

/** The HTTP API as a function of its dependencies. */
export const createApp = (assay: Assay, { routes: added = [], router, ...names }: Options = {}): App => {
  const front: Front = {
    api: createApi(assay, names),
    requests: createRequestLog(assay),
    admission: createAdmission(assay),
    answerError: answerErrors(assay.log, assay.oauth),
  };
  const app = new Hono(router && { router });
  for (const group of [...routeGroups, ...added.map(alone)])
    for (const name of group.routes) {
      const [method = '', path = ''] = name.split(' ');
      const handler = serveLater(front, group, name);
      if (method === 'all') app.all(path, handler);
      else app.on(method.toUpperCase(), path, handler);
    }
  app.get('/openapi.json', traced(front, openApiHandler()));
  app.notFound(traced(front, refuseUnknown(front)));
  return app;
};

/** Sixteen bodies of the largest size, per tenant: parsed, each takes several times its bytes. */
const MAX_BODY_BYTES = 64 * 2 ** 20;

const alone = (route: AnyRoute): RouteGroup => ({ routes: [nameOf(route)], load: () => [route] });

/** The handler of a route, created by its first request. */
const serveLater = (front: Front, { load }: RouteGroup, name: string): RouteHandler => {
  const handler = lazily(() => {
    const route = load().find((each) => nameOf(each) === name);
    if (!route) throw new Error(`there is no route ${name}`);
    return serveRoute(front, route);
  });
  return (c) => handler()(c);
};

const createApi = (assay: Assay, names: McpNames): Api => {
  let mcp: Promise<McpService> | undefined;
  return {
    ...assay,
    definitions: createDefinitions({
      answers: new LRUCache({ max: 1000, maxSize: 64_000_000 }),
      build: buildRequest,
      check: requireSendable,
    }),
    namesOf: createNameTables(),
    holdStream: createStreamLimit(),
    bodies: createBodyMemory(MAX_BODY_BYTES),
    endOfTurn: createEndOfTurn(),
    mcp: () => (mcp ??= import('./mcp/service.ts').then(({ createMcpService }) => createMcpService(assay, names))),
  };
};

/** Created from the table when it is first requested, so that the generator is not loaded at every start. */
const openApiHandler = () => {
  let document: Promise<string> | undefined;
  return async (): Promise<Response> => {
    document ??= Promise.all([import('./openapi.ts'), import('./routes/table.ts')]).then(
      ([{ openApiDocument }, { routes }]) => openApiDocument(routes),
    );
    return new Response(await document, { headers: { 'content-type': 'application/json' } });
  };
};

/** Without a key, every path under /v1 answers 401, whether it exists or not. */
const refuseUnknown =
  ({ admission }: Front) =>
  async (c: ApiContext): Promise<Response> => {
    if (c.req.path.startsWith('/v1/')) await admission(c);
    throw unknownCall(c);
  };
