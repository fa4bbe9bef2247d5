import * as z from 'zod';
import { requireScope } from '../../../shared/access/authenticate.ts';
import { toolsByType, toolsForDistortion } from '../../../shared/iqa/queries.ts';
import { IqaType } from '../../../shared/model/iqa.ts';
import { answerJson } from '../answer.ts';
import { parseBy } from '../body.ts';
import { describe } from '../describe.ts';
import type { Routes } from '../env.ts';
import { requireIqa } from './score.ts';

const flag = z.enum(['true', 'false']).optional();
const Query = z.object({
  type: IqaType.optional(),
  distortion: z.string().max(64).optional(),
  reference: flag,
  available: flag,
});

/** What the image tools can do, and how the score cache fares. */
export const iqaRoutes: Routes = (app, assay) => {
  describe(app, {
    method: 'get',
    path: '/v1/iqa/tools',
    summary: 'Image-quality tools by type, by distortion (full-reference first with reference=true) or by availability',
    tag: 'Images',
    query: Query,
    answers: {
      200: { description: 'The tools', schema: z.object({ tools: z.array(z.record(z.string(), z.unknown())) }) },
    },
    faults: ['InvalidInput'],
  });
  describe(app, {
    method: 'get',
    path: '/v1/iqa/cache',
    summary: 'Size, hits, misses, evictions and hit rate of the score cache',
    tag: 'Images',
    answers: { 200: { description: 'The statistics', schema: z.record(z.string(), z.number()) } },
  });
  describe(app, {
    method: 'get',
    path: '/.well-known/assay-keys.json',
    summary: 'The public keys that hallmarks are checked against',
    tag: 'Images',
    open: true,
    answers: {
      200: {
        description: 'A JSON Web Key Set',
        schema: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
      },
    },
  });

  app.get('/v1/iqa/tools', async (c) => {
    requireScope(c.get('actor'), 'read');
    const { catalogue, computations } = requireIqa(assay);
    const { type, distortion, reference, available } = parseBy(Query, c.req.query(), 'the query');
    const canRun = await computations.availability();
    const names =
      distortion === undefined
        ? catalogue.tools.map(({ name }) => name)
        : toolsForDistortion(catalogue, distortion, { reference: reference === 'true' });
    const ofType = type === undefined ? undefined : new Set(toolsByType(catalogue, type));
    const tools = names
      .flatMap((name) => catalogue.find(name) ?? [])
      .map((tool) => ({ ...tool, available: canRun(tool) }))
      .filter(
        (tool) => (ofType?.has(tool.name) ?? true) && (available === undefined || String(tool.available) === available),
      );
    return answerJson(c, { tools });
  });

  app.get('/v1/iqa/cache', (c) => {
    requireScope(c.get('actor'), 'read');
    return answerJson(c, requireIqa(assay).cache.statistics());
  });

  app.get('/.well-known/assay-keys.json', (c) => answerJson(c, { keys: requireIqa(assay).publishedKeys }));
};
