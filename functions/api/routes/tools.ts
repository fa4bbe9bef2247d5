import * as z from 'zod';
import { unenforcedPatterns } from '../../../shared/kernel/enforced-schema.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import type { Tool } from '../../../shared/model/tool.ts';
import { lintTool } from '../../../shared/providers/index.ts';
import { changeTool as changeStoredTool } from '../../../shared/registry/change-tool.ts';
import { getTool as findTool, getVersions as findVersions } from '../../../shared/registry/lookup/get-tool.ts';
import { checkTool, registerTool as registerNewTool } from '../../../shared/registry/register-tool.ts';
import { removeTool as removeStoredTool } from '../../../shared/registry/remove-tool.ts';
import { answerPrepared } from '../answer.ts';
import { checkedByVerb, jsonBody } from '../body.ts';
import { done, reply, route } from '../route.ts';
import { DefinitionBody, NameParam, RegistrationBody, VersionsBody } from '../schemas.ts';

const tag = 'Tools';
const registration = { description: 'The registration', schema: RegistrationBody } as const;
const VersionQuery = z.object({
  version: z.string().optional().meta({ description: 'A version, or a range such as ^1.' }),
});

const Change = z
  .strictObject({
    enabled: z.boolean().optional(),
    default_version: z.string().max(256).optional(),
    deprecated: z.union([z.boolean(), z.string().min(1).max(1024)]).optional(),
    version: z.string().max(256).optional(),
  })
  .meta({ id: 'ToolChange' });

const CheckBody = z
  .object({
    id: z.string(),
    outcome: z.enum(['new', 'version', 'identical']),
    becomes_default: z.boolean(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'ToolCheck' });

const registerTool = route({
  method: 'post',
  path: '/v1/tools',
  audit: 'tool-registered',
  scope: 'write',
  summary: 'Register a tool or a new version of it',
  tag,
  body: checkedByVerb(DefinitionBody),
  answers: {
    201: { ...registration, description: 'A new tool or version' },
    200: { ...registration, description: 'Identical to what is registered' },
  },
  faults: ['InvalidInput', 'PaymentRequired', 'Conflict', 'TooLarge'],
  async handle({ api, actor, body }) {
    const { make_default: makeDefault, ...definition } = body;
    if (makeDefault !== undefined && typeof makeDefault !== 'boolean')
      throw new Fault('InvalidInput', `make_default must be true or false, got ${JSON.stringify(makeDefault)}`, {
        field: 'make_default',
      });
    const { registration, created } = await registerNewTool(api, actor, definition, makeDefault);
    const warnings = await warningsOf(registration.spec);
    const told = warnings.length === 0 ? registration : { ...registration, warnings };
    return created ? reply(201, told) : reply(200, told);
  },
});

const checkDefinition = route({
  method: 'post',
  path: '/v1/definitions/check',
  scope: 'write',
  summary: 'Check what registering a definition would do; nothing is stored',
  tag,
  body: checkedByVerb(DefinitionBody),
  answers: { 200: { description: 'The outcome that registering would have', schema: CheckBody } },
  faults: ['InvalidInput', 'Conflict', 'TooLarge'],
  async handle({ api, actor, body: { make_default: _, ...definition } }) {
    const { spec, id, outcome, becomesDefault } = await checkTool(api, actor, definition);
    return reply(200, { id, outcome, becomes_default: becomesDefault, warnings: await warningsOf(spec) });
  },
});

/** The most frequent call, so it is synchronous while the catalogue is fresh. */
const getTool = route({
  method: 'get',
  path: '/v1/tools/:name',
  scope: 'read',
  summary: 'Get a tool',
  tag,
  params: NameParam,
  query: VersionQuery,
  answers: { 200: registration, 304: { description: 'Not modified' } },
  faults: ['InvalidInput', 'NotFound'],
  handle({ api, actor, params, query, context }) {
    const found = findTool(api, actor, params.name, query.version);
    return found instanceof Promise
      ? found.then((made) => answerPrepared(context, made))
      : answerPrepared(context, found);
  },
});

const getVersions = route({
  method: 'get',
  path: '/v1/tools/:name/versions',
  scope: 'read',
  summary: 'All versions of a tool',
  tag,
  params: NameParam,
  answers: { 200: { description: 'Its versions', schema: VersionsBody }, 304: { description: 'Not modified' } },
  faults: ['NotFound'],
  async handle({ api, actor, params, context }) {
    return answerPrepared(context, await findVersions(api, actor, params.name));
  },
});

const changeTool = route({
  method: 'patch',
  path: '/v1/tools/:name',
  audit: 'tool-changed',
  scope: 'write',
  summary: 'Enable, disable, deprecate, or move the default version',
  tag,
  params: NameParam,
  body: jsonBody(Change),
  answers: { 200: registration },
  faults: ['InvalidInput', 'NotFound'],
  handle: async ({ api, actor, params, body }) => reply(200, await changeStoredTool(api, actor, params.name, body)),
});

const removeTool = route({
  method: 'delete',
  path: '/v1/tools/:name',
  audit: 'tool-removed',
  scope: 'write',
  summary: 'Remove a tool, or one version by ?version= or name@version',
  tag,
  params: NameParam,
  query: VersionQuery,
  answers: { 204: { description: 'Removed, or did not exist' } },
  async handle({ api, actor, params, query }) {
    await removeStoredTool(api, actor, params.name, query.version);
    return done;
  },
});

/** The registry's own calls: register, check, list, get, versions, change, remove. */
export const toolRoutes = [registerTool, checkDefinition, getTool, getVersions, changeTool, removeTool] as const;

/** Parts of a tool that are not enforced, and what each provider's models will not see of it. */
const warningsOf = async (tool: Tool): Promise<readonly string[]> => [
  ...(['parameters', 'output_schema'] as const).flatMap((field) =>
    unenforcedPatterns(tool[field]).map(
      ({ path, pattern }) =>
        `${field}${path} ${JSON.stringify(pattern)} is kept but not enforced: RE2, which runs patterns here, has no lookaround, back-references or repeats over 1000`,
    ),
  ),
  ...(await lintTool(tool)).map(
    ({ provider, path, message }) => `${provider}: ${path === '' ? '' : `${path} `}${message}`,
  ),
];
