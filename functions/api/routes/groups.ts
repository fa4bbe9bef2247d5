import type { AnyRoute } from '../route.ts';
import { accountRoutes } from './accounts.ts';
import { decideRoutes } from './decide.ts';
import { eventRoutes } from './events.ts';
import { executionRoutes } from './executions.ts';
import { invokeRoutes } from './invoke.ts';
import { iqaRoutes } from './iqa.ts';
import { keyRoutes } from './keys.ts';
import { layerRoutes } from './layer.ts';
import { listTools } from './list-tools.ts';
import { mcpRoutes } from './mcp.ts';
import { oauthRoutes } from './oauth.ts';
import { permissionRoutes } from './permissions.ts';
import { planRoutes } from './plans.ts';
import { providerRoutes } from './providers.ts';
import { recommendationRoutes } from './recommendations.ts';
import { runRoutes } from './runs.ts';
import { scoreRoutes } from './score.ts';
import { serverRoutes } from './server.ts';
import { snapshotRoutes } from './snapshot.ts';
import { sourceRoutes } from './sources.ts';
import { tenantDataRoutes } from './tenant-data.ts';
import { tenantRoutes } from './tenants.ts';
import { toolRoutes } from './tools.ts';
import { uploadRoutes } from './uploads.ts';
import { usageRoutes } from './usage.ts';

/** Routes that are created together, by the first request for one of them. */
export interface RouteGroup {
  /** Method and path of each, as `nameOf` writes them. */
  readonly routes: readonly string[];
  readonly load: () => readonly AnyRoute[];
}

export const nameOf = ({ method, path }: Pick<AnyRoute, 'method' | 'path'>): string => `${method} ${path}`;

/**
 * The paths of all routes, without the routes themselves: creating all their schemas would be a tenth of the start.
 * `test/api/routes.test.ts` keeps it in step with the table.
 */
export const routeGroups: readonly RouteGroup[] = [
  { load: () => serverRoutes, routes: ['get /healthz'] },
  {
    load: () => oauthRoutes,
    routes: ['get /.well-known/oauth-protected-resource', 'get /.well-known/oauth-protected-resource/mcp'],
  },
  // In a group of its own: it is often the first request after a start, and the other tool routes have many schemas.
  { load: () => [listTools], routes: ['get /v1/tools'] },
  {
    load: () => toolRoutes,
    routes: [
      'post /v1/tools',
      'post /v1/definitions/check',
      'get /v1/tools/:name',
      'get /v1/tools/:name/versions',
      'patch /v1/tools/:name',
      'delete /v1/tools/:name',
    ],
  },
  { load: () => invokeRoutes, routes: ['post /v1/tools/:name/invoke'] },
  {
    load: () => executionRoutes,
    routes: [
      'get /v1/summary',
      'get /v1/executions',
      'get /v1/executions/:id',
      'get /v1/calls/:id/trace',
      'get /v1/tools/:name/stats',
    ],
  },
  {
    load: () => permissionRoutes,
    routes: [
      'post /v1/confirmations',
      'get /v1/confirmations',
      'get /v1/confirmations/:id',
      'get /v1/grants',
      'put /v1/grants/:key_id/:name',
      'delete /v1/grants/:key_id/:name',
      'get /v1/audit',
    ],
  },
  {
    load: () => recommendationRoutes,
    routes: [
      'get /v1/recommendations',
      'post /v1/feedback',
      'get /v1/examples',
      'delete /v1/examples/:tool',
      'get /v1/lists/:kind',
      'put /v1/lists/:kind/:name',
      'delete /v1/lists/:kind/:name',
    ],
  },
  { load: () => eventRoutes, routes: ['get /v1/events'] },
  { load: () => snapshotRoutes, routes: ['get /v1/snapshot', 'post /v1/snapshot'] },
  { load: () => layerRoutes, routes: ['get /v1/reload', 'post /v1/reload'] },
  {
    load: () => sourceRoutes,
    routes: [
      'post /v1/sources',
      'get /v1/sources',
      'get /v1/sources/:name',
      'patch /v1/sources/:name',
      'delete /v1/sources/:name',
      'post /v1/sources/:name/refresh',
      'post /v1/sources/:name/approve',
    ],
  },
  {
    load: () => accountRoutes,
    routes: [
      'post /v1/sources/:name/account',
      'delete /v1/sources/:name/account',
      'get /v1/connected',
      'get /v1/connect/:ticket',
      'post /v1/connect/:ticket',
      'get /.well-known/oauth-client.json',
    ],
  },
  { load: () => keyRoutes, routes: ['post /v1/keys', 'get /v1/keys', 'delete /v1/keys/:id'] },
  { load: () => tenantRoutes, routes: ['get /v1/tenants'] },
  { load: () => tenantDataRoutes, routes: ['get /v1/tenants/:tenant/export', 'delete /v1/tenants/:tenant'] },
  {
    load: () => providerRoutes,
    routes: [
      'get /v1/providers',
      'get /v1/providers/:provider/tools',
      'post /v1/providers/:provider/calls',
      'post /v1/providers/:provider/results',
      'get /v1/prompt',
    ],
  },
  { load: () => scoreRoutes, routes: ['post /v1/score', 'post /v1/score/map'] },
  {
    load: () => iqaRoutes,
    routes: [
      'get /v1/iqa/tools',
      'get /v1/iqa/models',
      'get /v1/iqa/tools/:name/recipe',
      'get /v1/iqa/cache',
      'get /.well-known/assay-keys.json',
    ],
  },
  { load: () => usageRoutes, routes: ['get /v1/usage', 'get /v1/usage/verification', 'post /v1/usage/verification'] },
  { load: () => uploadRoutes, routes: ['post /v1/uploads', 'get /v1/images/:key/scores'] },
  { load: () => decideRoutes, routes: ['post /v1/decide'] },
  {
    load: () => planRoutes,
    routes: ['post /v1/plans', 'get /v1/plans/:id', 'get /v1/plans/:id/picture', 'post /v1/plans/:id/tool'],
  },
  {
    load: () => runRoutes,
    routes: [
      'post /v1/plans/:id/runs',
      'get /v1/runs',
      'get /v1/runs/:id',
      'post /v1/runs/:id/nodes/:node/confirm',
      'delete /v1/runs/:id',
    ],
  },
  { load: () => mcpRoutes, routes: ['all /mcp'] },
];
