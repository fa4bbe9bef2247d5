import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from '@asteasolutions/zod-to-openapi';
import * as z from 'zod';
import { type FaultCode, statusOf } from '../../shared/kernel/errors.ts';
import { about } from './about.ts';
import type { Answers, AnyRoute } from './route.ts';

const info = {
  title: about.title,
  version: about.version,
  summary: about.summary,
  description:
    'Register tools, version them, find them, convert them to any model provider, and run them. Keys are sent as `Authorization: Bearer <key>` or `X-Api-Key`. Every refusal has one shape: `{"error": {"code", "message", "details", "request_id"}}`.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

/** The OpenAPI document of the routes, as text. */
export const openApiDocument = (routes: readonly AnyRoute[]): string => {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' });
  registry.registerComponent('securitySchemes', 'apiKey', { type: 'apiKey', in: 'header', name: 'X-Api-Key' });
  for (const route of routes) if (!route.undocumented) registry.registerPath(describe(route));
  const generator = new OpenApiGeneratorV31(registry.definitions);
  return JSON.stringify(generator.generateDocument({ openapi: '3.1.0', info, servers: [{ url: '/' }] }), plainPattern);
};

/** The generator appends the pattern's flag; the Unicode flag is implied in JSON Schema. */
const plainPattern = (key: string, value: unknown): unknown =>
  key === 'pattern' && typeof value === 'string' ? value.replace(/\/u$/, '') : value;

const describe = (route: AnyRoute): RouteConfig => {
  const { summary, tag, params, query, body, scope } = route;
  const method = route.method === 'all' ? 'post' : (route.method as RouteConfig['method']);
  const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
  const isPublic = scope === 'public';
  return {
    method,
    path,
    summary: isPublic || scope === 'any' ? summary : `${summary} (scope ${[scope].flat().join(' or ')})`,
    operationId: buildOperationId(method, path),
    tags: [tag],
    request: {
      params,
      query,
      body: body && { required: !body.isOptional, content: { [body.type]: { schema: body.schema } } },
    },
    security: isPublic ? [] : [{ bearer: [] }, { apiKey: [] }],
    responses: {
      ...describeResponses(route.answers),
      ...faultResponses([...(isPublic ? [] : (['Unauthenticated', 'Forbidden'] as const)), ...(route.faults ?? [])]),
    },
  };
};

const describeResponses = (answers: Answers) =>
  Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema, type = 'application/json' }]) => [
      status,
      schema === undefined ? { description } : { description, content: describeContent([type].flat(), schema) },
    ]),
  );

const describeContent = (types: readonly string[], schema: z.ZodType) =>
  Object.fromEntries(types.map((type) => [type, { schema }]));

const faultResponses = (codes: readonly FaultCode[]) =>
  Object.fromEntries(
    codes.map((code) => [
      statusOf[code],
      { description: code, content: { 'application/json': { schema: ErrorBody } } },
    ]),
  );

const ErrorBody = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.unknown()),
      request_id: z.string(),
    }),
  })
  .meta({ id: 'Error', description: 'What happened, with the values, and the cure.' });

const buildOperationId = (method: string, path: string): string =>
  `${method}${path
    .replace(/^\/v1/, '')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`;
