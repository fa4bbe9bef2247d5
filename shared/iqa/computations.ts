import { Fault } from '../kernel/errors.ts';
import type { LearnedModel } from './engine.ts';
import type { IqaTool } from './metadata.ts';

/** What a tool runs on: a shipped computation or a model file, identified by its SHA-256. */
export interface Computation {
  readonly sha256: string;
  /** Downloads the model file to this machine; absent for shipped computations. */
  readonly open?: () => Promise<LearnedModel>;
}

/** Which tools can run here, and on what. */
export interface Computations {
  /** Unavailable, with the cure, when the tool has neither a shipped computation nor a model file. */
  require(tool: IqaTool): Promise<Computation>;
  /** A predicate, as of now, that says whether a tool can run. */
  availability(): Promise<(tool: IqaTool) => boolean>;
}

/** A model in the store; its digest is known before its file is fetched. */
export interface StoredModel {
  readonly digest: string;
  open(): Promise<LearnedModel>;
}

/** Finds model files; implemented by `models.ts`. */
export interface ModelLookup {
  find(tool: string): Promise<StoredModel | undefined>;
  names(): Promise<ReadonlySet<string>>;
}

/** The shipped computations by name of the graph; implemented by `shipped.ts`. */
export interface ShippedComputations {
  has(graph: string): boolean;
  digest(graph: string): string;
}

/** Looks a tool up among the shipped computations, then in the model store. */
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
