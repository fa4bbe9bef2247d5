import { OpenAPIHono } from '@hono/zod-openapi';
import { bodyLimit } from 'hono/body-limit';
import type { Assay } from '../../shared/assay.ts';
import { Fault } from '../../shared/errors.ts';
import { MAX_BODY_BYTES } from './body.ts';
import type { App, Env } from './env.ts';
import { answerErrors, answerNotFound } from './errors.ts';
import { replayAnswers } from './idempotency.ts';
import { authenticateRequests, traceRequests } from './middleware.ts';
import { serveOpenApi } from './openapi.ts';
import { invokeRoutes } from './routes/invoke.ts';
import { keyRoutes } from './routes/keys.ts';
import { layerRoutes } from './routes/layer.ts';
import { snapshotRoutes } from './routes/snapshot.ts';
import { toolRoutes } from './routes/tools.ts';

/** The HTTP API as a function of what it stands on. */
export const createApp = (assay: Assay): App => {
  const app = new OpenAPIHono<Env>();
  app.onError(answerErrors(assay.log));
  app.notFound(answerNotFound);
  app.use(traceRequests(assay));
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  serveOpenApi(app);

  app.use('/v1/*', authenticateRequests(assay));
  app.on(writes, '/v1/*', limitBodies, replayAnswers(assay));
  for (const routes of [toolRoutes, invokeRoutes, snapshotRoutes, layerRoutes, keyRoutes]) routes(app, assay);
  return app;
};

const writes = ['POST', 'PUT', 'PATCH', 'DELETE'];

const limitBodies = bodyLimit({
  maxSize: MAX_BODY_BYTES,
  onError: () => {
    throw new Fault(
      'TooLarge',
      `the body is larger than ${MAX_BODY_BYTES} bytes; send pictures through POST /v1/uploads`,
      {
        limit: MAX_BODY_BYTES,
      },
    );
  },
});
