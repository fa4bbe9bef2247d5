import './check-node.ts';

/** The exports of `import ... from 'assay'`: the pure core, and the product composed inside another program. */
export { adminActor } from '../../shared/access/scopes.ts';
export type { Assay } from '../../shared/assay.ts';
export {
  buildPlan,
  buildRequest,
  type CallOptions,
  type Criteria,
  callReader,
  compilePlan,
  convert,
  createRegistry,
  createSearchIndex,
  type DecideDeps,
  type DecideInput,
  type Decision,
  decide,
  type ExecuteContext,
  executeTool,
  Fault,
  type FaultCode,
  formatResults,
  type IqaCatalogue,
  interpret,
  isToolAvailable,
  normaliseScore,
  overallOf,
  type Plan,
  type PlanTree,
  type PredictedOverall,
  parseCalls,
  parseMetadata,
  promptInstructions,
  type Registration,
  type Registry,
  type RegistryOptions,
  readAnswer,
  type Snapshot,
  type Tool,
  type ToolDefinition,
  toAsl,
  toolsByType,
  toolsForDistortion,
} from '../../shared/index.ts';
export type { Actor } from '../../shared/model/key.ts';
export { type CreateAssayOptions, createAssay, type EmbeddedTool } from './create-assay.ts';
