import * as z from 'zod';
import { IqaEntry } from '../../../shared/iqa/metadata-schema.ts';
import { toolsByType, toolsForDistortion } from '../../../shared/iqa/queries.ts';
import { IqaType } from '../../../shared/model/iqa.ts';
import { reply, route } from '../route.ts';
import { requireIqa } from './score.ts';

const flag = z.enum(['true', 'false']).optional();
const Query = z.object({
  type: IqaType.optional(),
  distortion: z.string().max(64).optional(),
  reference: flag,
  available: flag,
});

const IqaToolBody = z.object({ ...IqaEntry.shape, name: z.string(), available: z.boolean() }).meta({ id: 'IqaTool' });

const getIqaTools = route({
  method: 'get',
  path: '/v1/iqa/tools',
  scope: 'read',
  summary: 'Image-quality tools by type, by distortion (full-reference first with reference=true) or by availability',
  tag: 'Images',
  query: Query,
  answers: { 200: { description: 'The tools', schema: z.object({ tools: z.array(IqaToolBody) }) } },
  faults: ['InvalidInput'],
  async handle({ api, query: { type, distortion, reference, available } }) {
    const { catalogue, computations } = requireIqa(api);
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
    return reply(200, { tools });
  },
});

const getCache = route({
  method: 'get',
  path: '/v1/iqa/cache',
  scope: 'read',
  summary: 'Size, hits, misses, evictions and hit rate of the score cache',
  tag: 'Images',
  answers: { 200: { description: 'The statistics', schema: z.record(z.string(), z.number()) } },
  handle: ({ api }) => reply(200, { ...requireIqa(api).cache.statistics() }),
});

const getPublicKeys = route({
  method: 'get',
  path: '/.well-known/assay-keys.json',
  scope: 'public',
  summary: 'The public keys that hallmarks are checked against',
  tag: 'Images',
  answers: {
    200: {
      description: 'A JSON Web Key Set',
      schema: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
    },
  },
  handle: ({ api }) => reply(200, { keys: requireIqa(api).publishedKeys.map((key) => ({ ...key })) }),
});

/** What the image tools can do, and how the score cache fares. */
export const iqaRoutes = [getIqaTools, getCache, getPublicKeys] as const;
