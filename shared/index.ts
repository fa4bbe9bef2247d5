/** The pure core, for embedding: nothing here touches a disk, a network or a clock. */
export { decide } from './decide/decide.ts';
export type { DecideDeps, DecideInput, Decision } from './decide/decision.ts';
export { type CallOptions, type ExecuteContext, executeTool } from './execute/execute.ts';
export { type IqaCatalogue, parseMetadata } from './iqa/metadata.ts';
export { normaliseScore } from './iqa/normalise.ts';
export { overallOf, type PredictedOverall } from './iqa/overall.ts';
export { isToolAvailable, toolsByType, toolsForDistortion } from './iqa/queries.ts';
export { Fault, type FaultCode } from './kernel/errors.ts';
export type { Plan, PlanTree } from './model/plan.ts';
export type { Registration, Snapshot } from './model/registration.ts';
export type { Tool, ToolDefinition } from './model/tool.ts';
export { buildPlan } from './plan/build.ts';
export { compilePlan } from './plan/compile.ts';
export { interpret } from './plan/interpret.ts';
export { toAsl } from './plan/to-asl.ts';
export {
  buildRequest,
  callReader,
  convert,
  formatResults,
  parseCalls,
  promptInstructions,
  readAnswer,
} from './providers/index.ts';
export { type Criteria, createRegistry, type Registry, type RegistryOptions } from './registry/registry.ts';
export { createSearchIndex } from './search/search-index.ts';
