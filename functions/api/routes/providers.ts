import * as z from 'zod';
import { requireScope } from '../../../shared/access/authenticate.ts';
import { formatResults, parseCalls, providerNames } from '../../../shared/providers/index.ts';
import { createDefinitions, type View } from '../../../shared/registry/lookup/definitions.ts';
import { readDefinitionsQuery, readSelection } from '../../../shared/registry/lookup/definitions-query.ts';
import { createNameTables } from '../../../shared/registry/lookup/name-tables.ts';
import { answer, answerJson } from '../answer.ts';
import { parseBy, readJson } from '../body.ts';
import { describe } from '../describe.ts';
import { type ApiContext, type App, catalogOf, type Routes } from '../env.ts';
import { readModelOutput } from '../model-output.ts';

const Results = z
  .strictObject({
    results: z
      .array(
        z.strictObject({
          id: z.union([z.string(), z.number()]),
          name: z.string().max(128),
          output: z.unknown().optional(),
          error: z.unknown().optional(),
        }),
      )
      .max(1000),
  })
  .meta({ id: 'Results' });

/** Tools as each model provider wants them, its calls as ours, and results as its messages. */
export const providerRoutes: Routes = (app, assay) => {
  describeProviders(app);
  const definitions = createDefinitions();
  const namesOf = createNameTables();

  const viewOf = async (c: ApiContext): Promise<View> => {
    requireScope(c.get('actor'), 'read');
    const found = catalogOf(c, assay);
    const { catalog } = found instanceof Promise ? await found : found;
    return { catalog, confined: c.get('actor').tools };
  };

  app.get('/v1/providers', (c) => {
    requireScope(c.get('actor'), 'read');
    return answerJson(c, { providers: providerNames });
  });

  app.get('/v1/providers/:provider/tools', async (c) => {
    const view = await viewOf(c);
    return answer(c, definitions.tools(view, c.req.param('provider'), readDefinitionsQuery(c.req.query())));
  });

  app.post('/v1/providers/:provider/calls', async (c) => {
    const view = await viewOf(c);
    const provider = c.req.param('provider');
    const response = await readModelOutput(c);
    const tool = (name: string) => view.catalog.get(name)?.record.spec;
    return answerJson(c, { calls: parseCalls(provider, response, { names: namesOf(view, provider), tool }) });
  });

  app.post('/v1/providers/:provider/results', async (c) => {
    requireScope(c.get('actor'), 'read');
    const { results } = parseBy(Results, await readJson(c), 'the body');
    return answerJson(c, formatResults(c.req.param('provider'), results));
  });

  app.get('/v1/prompt', async (c) => answer(c, definitions.prompt(await viewOf(c), readSelection(c.req.query()))));
};

const Provider = z.object({ provider: z.string().meta({ description: 'One of GET /v1/providers.' }) });
const flag = z.enum(['true', 'false']).optional();
const Selected = z.object({
  allowed: z.string().optional().meta({ description: 'Only these tools, by name, parted by commas.' }),
  tags: z.string().optional(),
  category: z.string().optional(),
});
const Options = Selected.extend({
  strict: flag.meta({ description: 'The provider’s strict form.' }),
  schema: z.enum(['json']).optional().meta({ description: 'Gemini: parametersJsonSchema.' }),
  mode: z.enum(['search']).optional().meta({ description: 'find_tools and call_tool instead of the catalogue.' }),
  defer: flag.meta({ description: 'Defer loading where the provider can.' }),
  explain: flag.meta({ description: 'Wraps the value with warnings, what was left out, and its tokens.' }),
});

const describeProviders = (app: App): void => {
  const tag = 'Providers';
  const params = Provider;
  const faults = ['InvalidInput'] as const;
  describe(app, {
    method: 'get',
    path: '/v1/providers',
    summary: 'The supported providers',
    tag,
    answers: { 200: { description: 'Their names', schema: z.object({ providers: z.array(z.string()) }) } },
  });
  describe(app, {
    method: 'get',
    path: '/v1/providers/{provider}/tools',
    summary: 'The tools value of a provider’s request; Assay-Warnings counts what was lost, Assay-Tokens what it costs',
    tag,
    params,
    query: Options,
    answers: { 200: { description: 'The value', schema: z.unknown() }, 304: { description: 'Not modified' } },
    faults,
  });
  describe(app, {
    method: 'post',
    path: '/v1/providers/{provider}/calls',
    summary: 'The calls that a model’s response, or its streamed events, ask for',
    tag,
    params,
    body: z.unknown(),
    answers: { 200: { description: 'The calls', schema: z.object({ calls: z.array(z.looseObject({})) }) } },
    faults,
  });
  describe(app, {
    method: 'post',
    path: '/v1/providers/{provider}/results',
    summary: 'Results as the provider’s messages',
    tag,
    params,
    body: Results,
    answers: { 200: { description: 'The messages', schema: z.array(z.unknown()) } },
    faults,
  });
  describe(app, {
    method: 'get',
    path: '/v1/prompt',
    summary: 'The instructions of all tools for a system prompt',
    tag,
    query: Selected,
    answers: { 200: { description: 'The text', schema: z.string(), type: 'text/plain' } },
    faults,
  });
};
