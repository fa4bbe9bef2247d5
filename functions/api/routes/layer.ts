import * as z from 'zod';
import { requireScope } from '../../../shared/access/authenticate.ts';
import { describe } from '../describe.ts';
import type { Routes } from '../env.ts';

const Refused = z.object({ source: z.string(), name: z.string(), reason: z.string() });
const Report = z
  .object({ registered: z.array(z.string()), refused: z.array(Refused), skipped: z.array(Refused) })
  .meta({ id: 'LoadReport' });

/** The read-only layer: what was loaded, and loading it again. */
export const layerRoutes: Routes = (app, assay) => {
  const answers = { 200: { description: 'What is loaded, and why the rest is not', schema: Report } };
  describe(app, { method: 'get', path: '/v1/reload', summary: 'The last load report', tag: 'Operation', answers });
  describe(app, {
    method: 'post',
    path: '/v1/reload',
    summary: 'Discover configured and plugin tools again',
    tag: 'Operation',
    answers,
  });

  app.get('/v1/reload', (c) => {
    requireScope(c.var.actor, 'admin');
    return c.json(assay.report());
  });

  app.post('/v1/reload', async (c) => {
    requireScope(c.var.actor, 'admin');
    return c.json(await assay.reload());
  });
};
