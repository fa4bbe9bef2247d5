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

/** Every call of the API. */
export const routes = [
  ...serverRoutes,
  ...oauthRoutes,
  listTools,
  ...toolRoutes,
  ...invokeRoutes,
  ...executionRoutes,
  ...permissionRoutes,
  ...recommendationRoutes,
  ...eventRoutes,
  ...snapshotRoutes,
  ...layerRoutes,
  ...sourceRoutes,
  ...accountRoutes,
  ...keyRoutes,
  ...tenantRoutes,
  ...tenantDataRoutes,
  ...providerRoutes,
  ...scoreRoutes,
  ...iqaRoutes,
  ...usageRoutes,
  ...uploadRoutes,
  ...decideRoutes,
  ...planRoutes,
  ...runRoutes,
  ...mcpRoutes,
] as const;
