import type { App } from './env.ts';

const info = {
  title: 'Assay',
  version: '0.1.0',
  summary: 'A tool registry for AI agents that also measures pictures',
  description:
    'Register tools, version them, find them, convert them to any model provider, and run them. Keys are sent as `Authorization: Bearer <key>` or `X-Api-Key`. Every refusal has one shape: `{"error": {"code", "message", "details", "request_id"}}`.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

/** Serves the OpenAPI document, made once from what the routes registered. */
export const serveOpenApi = (app: App): void => {
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' });
  app.openAPIRegistry.registerComponent('securitySchemes', 'apiKey', {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
  });
  let document: string | undefined;
  app.get('/openapi.json', (c) => {
    document ??= JSON.stringify(app.getOpenAPI31Document({ openapi: '3.1.0', info, servers: [{ url: '/' }] }));
    return c.body(document, 200, { 'content-type': 'application/json' });
  });
};
