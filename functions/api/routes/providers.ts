import * as z from 'zod';
import { formatResults, providerNames, readAnswer, type ToolResult } from '../../../shared/providers/index.ts';
import { findTools } from '../../../shared/registry/find-tools.ts';
import { readDefinitionsQuery, readSelection } from '../../../shared/registry/lookup/definitions-query.ts';
import { viewFor } from '../../../shared/registry/lookup/get-tool.ts';
import { findEntry } from '../../../shared/registry/visible-entry.ts';
import { answerPrepared } from '../answer.ts';
import { jsonBody } from '../body.ts';
import { modelOutput } from '../model-output.ts';
import { reply, route } from '../route.ts';

const tag = 'Providers';
const faults = ['InvalidInput'] as const;

const MAX_SEARCHES = 20;

const Search = z
  .strictObject({
    query: z.string().max(4000),
    limit: z.int().min(1).max(20).default(5),
    allowed: z.array(z.string().max(128)).max(10_000).optional(),
  })
  .meta({ description: 'A search as returned with the calls: its result is the matching tools, best first.' });

const Results = z
  .strictObject({
    results: z
      .array(
        z.strictObject({
          id: z.union([z.string(), z.number()]),
          name: z.string().max(128),
          output: z.unknown().optional(),
          error: z.unknown().optional(),
          search: Search.optional(),
          caller: z.record(z.string(), z.unknown()).optional(),
          form: z.enum(['function_call', 'conversation']).optional(),
        }),
      )
      .max(1000)
      .refine((results) => results.filter(({ search }) => search).length <= MAX_SEARCHES, {
        message: `may hold at most ${MAX_SEARCHES} searches`,
      }),
  })
  .meta({ id: 'Results' });

const Calls = z.object({
  calls: z.array(z.looseObject({})),
  searches: z
    .array(z.looseObject({ search: z.looseObject({ query: z.string() }) }))
    .optional()
    .meta({ description: 'The model’s searches for tools; send them back unchanged as results.' }),
});

const Provider = z.object({ provider: z.string().meta({ description: 'One of GET /v1/providers.' }) });
// `readDefinitionsQuery` refuses other values, because the edge checks them without zod; this is for the document.
const oneOf = (description: string, ...values: readonly string[]) =>
  z
    .string()
    .optional()
    .meta({ description, enum: [...values] });
const Selected = z.object({
  allowed: z.string().optional().meta({ description: 'Only these tools, by name, separated by commas.' }),
  tags: z.string().optional(),
  category: z.string().optional(),
});
const Options = Selected.extend({
  strict: oneOf('The provider’s strict form.', 'true', 'false'),
  schema: oneOf('Gemini: parametersJsonSchema.', 'json'),
  mode: oneOf(
    'search: find_tools and call_tool instead of the catalogue; tool_search: the search of OpenAI or Anthropic, run by the client.',
    'search',
    'tool_search',
  ),
  namespaces: oneOf('OpenAI: definitions in namespaces.', 'true', 'false'),
  callers: oneOf('Tools that need no consent may be called from code; others say direct.', 'programmatic'),
  allowed_tools: z.string().optional().meta({
    description: 'All tools stay in the value; with explain, request has the tool choice that allows only these.',
  }),
  defer: oneOf('Defer loading where the provider can.', 'true', 'false'),
  explain: oneOf(
    'Wraps the value with warnings, what was left out, its tokens, how strict it became, and what holds for each tool.',
    'true',
    'false',
  ),
});

const getProviders = route({
  method: 'get',
  path: '/v1/providers',
  scope: 'read',
  summary: 'The supported providers',
  tag,
  answers: { 200: { description: 'Their names', schema: z.object({ providers: z.array(z.string()) }) } },
  handle: () => reply(200, { providers: providerNames }),
});

const getDefinitions = route({
  method: 'get',
  path: '/v1/providers/:provider/tools',
  scope: 'read',
  summary:
    'The tools value of a provider’s request; Assay-Warnings counts what was lost, Assay-Left-Out names what is missing, Assay-Strict counts tools in the strict form, Assay-Tokens says what it costs',
  tag,
  params: Provider,
  query: Options,
  answers: { 200: { description: 'The value', schema: z.unknown() }, 304: { description: 'Not modified' } },
  faults,
  async handle({ api, actor, params, context }) {
    const query = readDefinitionsQuery(context.req.query());
    return answerPrepared(context, api.definitions.tools(await viewFor(api, actor), params.provider, query));
  },
});

const readCalls = route({
  method: 'post',
  path: '/v1/providers/:provider/calls',
  scope: 'read',
  summary: 'Parse the tool calls of a model’s response or stream, and its searches for tools',
  tag,
  params: Provider,
  body: modelOutput,
  answers: { 200: { description: 'The calls', schema: Calls } },
  faults,
  async handle({ api, actor, params: { provider }, body }) {
    const view = await viewFor(api, actor);
    const tool = (name: string) => findEntry(view.catalog, actor, name)?.record.spec;
    const { calls, searches } = readAnswer(provider, body, { names: api.namesOf(view, provider), tool });
    return reply(200, {
      calls: calls.map((call) => ({ ...call })),
      searches: searches.length > 0 ? searches.map((search) => ({ ...search })) : undefined,
    });
  },
});

const writeResults = route({
  method: 'post',
  path: '/v1/providers/:provider/results',
  scope: 'read',
  summary: 'Format results as the provider’s messages',
  tag,
  params: Provider,
  body: jsonBody(Results),
  answers: { 200: { description: 'The messages', schema: z.unknown() } },
  faults,
  async handle({ api, actor, params, body }) {
    const held = await api.catalogs.of(actor.tenant);
    const answered = body.results.map(async ({ search, ...result }): Promise<ToolResult> => {
      if (!search || result.error !== undefined) return result;
      return { ...result, found: await findTools(held, actor, search) };
    });
    return reply(200, formatResults(params.provider, await Promise.all(answered)));
  },
});

const getPrompt = route({
  method: 'get',
  path: '/v1/prompt',
  scope: 'read',
  summary: 'The instructions of all tools, as a text for any model',
  tag,
  query: Selected,
  answers: { 200: { description: 'The text', schema: z.string(), type: 'text/plain' } },
  faults,
  async handle({ api, actor, context }) {
    const selection = readSelection(context.req.query());
    return answerPrepared(context, api.definitions.prompt(await viewFor(api, actor), selection));
  },
});

/** Tools in each provider's format, a model's calls in ours, and results as its messages. */
export const providerRoutes = [getProviders, getDefinitions, readCalls, writeResults, getPrompt] as const;
