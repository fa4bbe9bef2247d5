import * as z from 'zod';
import { requireScope } from '../../../shared/access/authenticate.ts';
import type { Assay } from '../../../shared/assay.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { isObject } from '../../../shared/kernel/json.ts';
import type { Tool } from '../../../shared/model/tool.ts';
import { lintTool } from '../../../shared/providers/index.ts';
import type { Catalog } from '../../../shared/registry/catalog.ts';
import type { TenantCatalog } from '../../../shared/registry/catalogs.ts';
import { changeTool, unknownTool } from '../../../shared/registry/change-tool.ts';
import { type Answer, answerOf, type Entry } from '../../../shared/registry/entry.ts';
import { registerTool } from '../../../shared/registry/register-tool.ts';
import { toRegistration } from '../../../shared/registry/registration.ts';
import { removeTool } from '../../../shared/registry/remove-tool.ts';
import { resolveVersion } from '../../../shared/registry/versions.ts';
import { answer, answerJson } from '../answer.ts';
import { readBody, readJson } from '../body.ts';
import { describe } from '../describe.ts';
import { type ApiContext, catalogOf, type Routes } from '../env.ts';
import { Definition, NameParam, RegistrationBody, VersionsBody } from '../schemas.ts';
import { listTools, ToolsQueryBody } from './list-tools.ts';

const Change = z
  .strictObject({
    enabled: z.boolean().optional(),
    default_version: z.string().max(256).optional(),
    deprecated: z.union([z.boolean(), z.string().min(1).max(1024)]).optional(),
    version: z.string().max(256).optional(),
  })
  .meta({ id: 'ToolChange' });

/** The registry's own calls: register, list, get, versions, change, remove. */
export const toolRoutes: Routes = (app, assay) => {
  describeTools(app);

  app.post('/v1/tools', async (c) => {
    requireScope(c.get('actor'), 'write');
    const { make_default: makeDefault, ...definition } = objectOf(await readJson(c));
    if (makeDefault !== undefined && typeof makeDefault !== 'boolean')
      throw new Fault('InvalidInput', `make_default must be true or false, got ${JSON.stringify(makeDefault)}`, {
        field: 'make_default',
      });
    const { registration, created } = await registerTool(assay, c.get('tenant'), definition, makeDefault);
    const warnings = warningsOf(registration.spec);
    return answerJson(c, warnings.length === 0 ? registration : { ...registration, warnings }, created ? 201 : 200);
  });

  app.get('/v1/tools', (c) => listTools(c, assay));

  app.get('/v1/tools/:name', showTool(assay));

  app.get('/v1/tools/:name/versions', async (c) => {
    requireScope(c.get('actor'), 'read');
    const entry = await requireEntry(c, assay);
    const { versions, default_version } = entry.family;
    return answer(c, answerOf({ versions, default_version }));
  });

  app.patch('/v1/tools/:name', async (c) => {
    requireScope(c.get('actor'), 'write');
    return c.json(await changeTool(assay, c.get('tenant'), c.req.param('name'), await readBody(c, Change)));
  });

  app.delete('/v1/tools/:name', async (c) => {
    requireScope(c.get('actor'), 'write');
    await removeTool(assay, c.get('tenant'), c.req.param('name'), c.req.query('version'));
    return c.body(null, 204);
  });
};

/** `GET /v1/tools/:name`, without a promise while the catalogue is fresh. */
export const showTool =
  (assay: Assay) =>
  (c: ApiContext): Response | Promise<Response> => {
    requireScope(c.get('actor'), 'read');
    const found = catalogOf(c, assay);
    return found instanceof Promise ? found.then((held) => answerTool(c, held)) : answerTool(c, found);
  };

const answerTool = (c: ApiContext, { catalog }: TenantCatalog): Response =>
  answer(c, versionAnswer(requireVisible(c, catalog), c.req.query('version')));

/** What models of each provider will not see of a tool as it is written. */
const warningsOf = (tool: Tool): readonly string[] =>
  lintTool(tool).map(({ provider, path, message }) => `${provider}: ${path === '' ? '' : `${path} `}${message}`);

const versionAnswer = (entry: Entry, version: string | undefined): Answer => {
  if (version === undefined) return entry.answer;
  const record = resolveVersion(entry.family, version);
  if (record) return answerOf(toRegistration(entry.family, record));
  throw new Fault(
    'NotFound',
    `${entry.family.name} has no version ${version}; it has ${entry.registration.versions.join(', ')}`,
    {
      name: entry.family.name,
      version,
    },
  );
};

/** A key confined to some tools does not see the others. */
const visible = (c: ApiContext, entry: Entry | undefined): Entry | undefined => {
  const { tools } = c.get('actor');
  return entry && tools && !tools.has(entry.family.name) ? undefined : entry;
};

const requireEntry = async (c: ApiContext, assay: Assay): Promise<Entry> =>
  requireVisible(c, (await catalogOf(c, assay)).catalog);

const requireVisible = (c: ApiContext, catalog: Catalog): Entry => {
  const name = c.req.param('name') ?? '';
  const entry = visible(c, catalog.get(name));
  if (!entry) throw unknownTool(name, c.get('actor').tools ?? catalog.names());
  return entry;
};

const objectOf = (value: unknown): Readonly<Record<string, unknown>> => {
  if (isObject(value)) return value;
  throw new Fault('InvalidInput', 'the body must be a JSON object', { field: '' });
};

const describeTools = (app: Parameters<Routes>[0]): void => {
  const tag = 'Tools';
  const registration = { description: 'The registration', schema: RegistrationBody };
  describe(app, {
    method: 'post',
    path: '/v1/tools',
    summary: 'Register a tool or a new version of it',
    tag,
    body: Definition,
    answers: {
      201: { ...registration, description: 'A new tool or version' },
      200: { ...registration, description: 'Identical to what is registered' },
    },
    faults: ['InvalidInput', 'Conflict', 'TooLarge'],
  });
  describe(app, {
    method: 'get',
    path: '/v1/tools',
    summary: 'List tools by name, or find them by text',
    tag,
    query: ToolsQueryBody,
    answers: {
      200: {
        description: 'A page of tools',
        schema: z.object({ tools: z.array(RegistrationBody), next_cursor: z.string().optional() }),
      },
    },
    faults: ['InvalidInput'],
  });
  const version = z.object({
    version: z.string().optional().meta({ description: 'A version, or a range such as ^1.' }),
  });
  describe(app, {
    method: 'get',
    path: '/v1/tools/{name}',
    summary: 'Get a tool',
    tag,
    params: NameParam,
    query: version,
    answers: { 200: registration, 304: { description: 'Not modified' } },
    faults: ['InvalidInput', 'NotFound'],
  });
  describe(app, {
    method: 'get',
    path: '/v1/tools/{name}/versions',
    summary: 'All versions of a tool',
    tag,
    params: NameParam,
    answers: { 200: { description: 'Its versions', schema: VersionsBody } },
    faults: ['NotFound'],
  });
  describe(app, {
    method: 'patch',
    path: '/v1/tools/{name}',
    summary: 'Enable, disable, deprecate, or move the default version',
    tag,
    params: NameParam,
    body: Change,
    answers: { 200: registration },
    faults: ['InvalidInput', 'NotFound'],
  });
  describe(app, {
    method: 'delete',
    path: '/v1/tools/{name}',
    summary: 'Remove a tool, or one version by ?version= or name@version',
    tag,
    params: NameParam,
    query: version,
    answers: { 204: { description: 'Removed, or never there' } },
  });
};
