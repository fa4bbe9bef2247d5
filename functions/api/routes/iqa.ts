import * as z from 'zod';
import { listImageTools } from '../../../shared/execute/image-tools.ts';
import { requireLearned } from '../../../shared/iqa/choose-tools.ts';
import { IqaEntry } from '../../../shared/iqa/metadata-schema.ts';
import { recipeFor } from '../../../shared/iqa/model-recipe.ts';
import { IqaType } from '../../../shared/model/iqa.ts';
import { reply, route } from '../route.ts';
import { NameParam } from '../schemas.ts';
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
  async handle({ api, actor, query: { type, distortion, reference, available } }) {
    const tools = await listImageTools(requireIqa(api), actor, {
      type,
      distortion,
      hasReference: reference === 'true',
      isAvailable: available === undefined ? undefined : available === 'true',
    });
    return reply(200, { tools: [...tools] });
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
  summary: 'The public keys for verifying hallmarks',
  tag: 'Images',
  answers: {
    200: {
      description: 'A JSON Web Key Set',
      schema: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
    },
  },
  handle: ({ api }) => reply(200, { keys: requireIqa(api).publishedKeys.map((key) => ({ ...key })) }),
});

const ModelBody = z
  .object({
    tool: z.string(),
    sha256: z.string(),
    bytes: z.int(),
    sample_score: z.number(),
    added_at: z.string(),
  })
  .meta({ id: 'Model' });

const getModels = route({
  method: 'get',
  path: '/v1/iqa/models',
  scope: 'read',
  summary: 'The model files of learned tools that are stored here',
  tag: 'Images',
  answers: { 200: { description: 'The models', schema: z.object({ models: z.array(ModelBody) }) } },
  async handle({ api }) {
    const models = await requireIqa(api).models.list();
    return reply(200, {
      models: models.map(({ tool, sha256, files, sample_score, added_at }) => ({
        tool,
        sha256,
        bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
        sample_score,
        added_at,
      })),
    });
  },
});

const getRecipe = route({
  method: 'get',
  path: '/v1/iqa/tools/:name/recipe',
  scope: 'read',
  summary: 'The Python script that exports a learned tool of IQA-PyTorch to the file that `assay models add` takes',
  tag: 'Images',
  params: NameParam,
  answers: {
    200: { description: 'The script', schema: z.object({ tool: z.string(), file: z.string(), script: z.string() }) },
  },
  faults: ['NotFound', 'Conflict'],
  handle({ api, params }) {
    const tool = requireLearned(requireIqa(api).catalogue, params.name);
    return reply(200, { tool: tool.name, file: `export_${tool.name}.py`, script: recipeFor(tool) });
  },
});

/** The image tools, the sources of their models, and the state of the score cache. */
export const iqaRoutes = [getIqaTools, getModels, getRecipe, getCache, getPublicKeys] as const;
