import { Fault } from '../kernel/errors.ts';
import type { LearnedModel } from './engine.ts';
import type { IqaTool } from './metadata.ts';

/** What a tool runs on: a shipped computation or a model file, known by its SHA-256. */
export interface Computation {
  readonly sha256: string;
  /** Brings the model file to this machine; absent for what ships. */
  readonly open?: () => Promise<LearnedModel>;
}

/** Which tools can run here, and on what. */
export interface Computations {
  /** Unavailable, with the cure, when the tool has neither a shipped computation nor a model file. */
  require(tool: IqaTool): Promise<Computation>;
  /** The question whether a tool can run, answered as of now. */
  availability(): Promise<(tool: IqaTool) => boolean>;
}

/** A model in the store, known by its digest before its file is fetched. */
export interface StoredModel {
  readonly digest: string;
  open(): Promise<LearnedModel>;
}

/** Where model files are found; `models.ts` makes one. */
export interface ModelLookup {
  find(tool: string): Promise<StoredModel | undefined>;
  names(): Promise<ReadonlySet<string>>;
}

/** The computations that ship, by the name of the graph; `shipped.ts` has them. */
export interface ShippedComputations {
  has(graph: string): boolean;
  digest(graph: string): string;
}

/** Joins the shipped computations with the model store. */
export const createComputations = (shipped: ShippedComputations, models: ModelLookup): Computations => ({
  async require(tool) {
    if (tool.graph !== undefined && shipped.has(tool.graph)) return { sha256: shipped.digest(tool.graph) };
    const model = await models.find(tool.name);
    if (model) return { sha256: model.digest, open: model.open };
    throw new Fault(
      'Unavailable',
      `${tool.name} is declared but has no model here; add one: assay models add ${tool.name} file.onnx`,
      { tool: tool.name },
    );
  },
  async availability() {
    const names = await models.names();
    return (tool) => (tool.graph !== undefined && shipped.has(tool.graph)) || names.has(tool.name);
  },
});
