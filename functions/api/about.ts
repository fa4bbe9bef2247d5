/** The product's description in OpenAPI and MCP; `npm run release` sets the version. */
export const about = {
  name: 'assay',
  title: 'Assay',
  version: '0.1.0',
  summary: 'A tool registry for AI agents that also measures pictures',
} as const;
