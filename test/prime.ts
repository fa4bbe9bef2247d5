/** Loads what most tests load, so that the compile cache has it before many processes look for it at once. */
await Promise.all([
  import('../functions/api/app.ts'),
  import('../functions/api/deps.ts'),
  import('../functions/api/mcp/service.ts'),
  import('../functions/compose/local-assay.ts'),
  import('../infra/stage.ts'),
  import('../shared/decide/decide-for.ts'),
  import('fast-check'),
]);
process.exit(0);
