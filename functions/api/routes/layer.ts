import * as z from 'zod';
import { reply, route } from '../route.ts';

const Refused = z.object({ source: z.string(), name: z.string(), reason: z.string() });
const Report = z
  .object({ registered: z.array(z.string()), refused: z.array(Refused), skipped: z.array(Refused) })
  .meta({ id: 'LoadReport' });

const answers = { 200: { description: 'The loaded tools, and why others were refused', schema: Report } } as const;

const getReport = route({
  method: 'get',
  path: '/v1/reload',
  scope: 'admin',
  summary: 'The last load report',
  tag: 'Operation',
  answers,
  handle: ({ api }) => reply(200, api.report()),
});

const reload = route({
  method: 'post',
  path: '/v1/reload',
  scope: 'admin',
  summary: 'Discover configured and plugin tools again',
  tag: 'Operation',
  answers,
  handle: async ({ api, actor }) => reply(200, await api.reload(actor)),
});

/** The read-only layer: its load report, and reloading it. */
export const layerRoutes = [getReport, reload] as const;
