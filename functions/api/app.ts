import { OpenAPIHono } from '@hono/zod-openapi';
import { Hono } from 'hono';
import type { Assay } from '../../shared/assay.ts';
import { isBounded, limitBodies } from './body.ts';
import type { App, Env } from './env.ts';
import { answerErrors, answerNotFound } from './errors.ts';
import { isOnce, replayAnswers } from './idempotency.ts';
import type { McpNames } from './mcp/guard.ts';
import { mcpRoutes } from './mcp/route.ts';
import {
  type Alone,
  authenticateRequests,
  createAdmission,
  createTracer,
  servedAlone,
  traceRequests,
} from './middleware.ts';
import { serveOpenApi } from './openapi.ts';
import { decideRoutes } from './routes/decide.ts';
import { eventRoutes } from './routes/events.ts';
import { executionRoutes } from './routes/executions.ts';
import { invokeRoutes, invokeTool } from './routes/invoke.ts';
import { iqaRoutes } from './routes/iqa.ts';
import { keyRoutes } from './routes/keys.ts';
import { layerRoutes } from './routes/layer.ts';
import { permissionRoutes } from './routes/permissions.ts';
import { planRoutes } from './routes/plans.ts';
import { providerRoutes } from './routes/providers.ts';
import { recommendationRoutes } from './routes/recommendations.ts';
import { runRoutes } from './routes/runs.ts';
import { scoreRoutes } from './routes/score.ts';
import { snapshotRoutes } from './routes/snapshot.ts';
import { showTool, toolRoutes } from './routes/tools.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { usageRoutes } from './routes/usage.ts';

/** The HTTP API as a function of what it stands on. */
export const createApp = (assay: Assay, names: McpNames = {}): App => {
  const app = new OpenAPIHono<Env>();
  const tracer = createTracer(assay);
  const admission = createAdmission(assay);
  const answerError = answerErrors(assay.log);
  app.onError(answerError);
  app.notFound(answerNotFound);
  app.use(traceRequests(tracer));
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  serveOpenApi(app);

  app.use('/v1/*', authenticateRequests(admission));
  app.on(writes, '/v1/*', limitBodies, replayAnswers(assay));
  for (const routes of [
    toolRoutes,
    invokeRoutes,
    executionRoutes,
    permissionRoutes,
    recommendationRoutes,
    eventRoutes,
    snapshotRoutes,
    layerRoutes,
    keyRoutes,
    providerRoutes,
    scoreRoutes,
    iqaRoutes,
    usageRoutes,
    uploadRoutes,
    decideRoutes,
    planRoutes,
    runRoutes,
  ])
    routes(app, assay);
  mcpRoutes(app, assay, admission, names);
  const alone = (handler: Alone) => servedAlone(tracer, admission, answerError, handler);
  return withFront(app, alone(showTool(assay)), alone(invokeTool(assay)));
};

/** Puts the two calls that are made most before all middleware; what they do not need is left to the rest. */
const withFront = (app: App, show: Alone, invoke: Alone): App => {
  const { fetch } = app;
  const front = new Hono<Env>()
    .get('/v1/tools/:name', show)
    .post('/v1/tools/:name/invoke', (c) => (isOnce(c) && isBounded(c) ? invoke(c) : fetch(c.req.raw, c.env)))
    .notFound((c) => fetch(c.req.raw, c.env));
  return Object.assign(app, { fetch: front.fetch });
};

const writes = ['POST', 'PUT', 'PATCH', 'DELETE'];
