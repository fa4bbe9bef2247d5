import * as z from 'zod';
import { sha256 } from '../kernel/canonical-json.ts';
import { Fault, messageOf } from '../kernel/errors.ts';
import { lazily } from '../kernel/lazily.ts';
import type { Blobs, Clock } from '../kernel/ports.ts';
import { isUnreadable, readStoredFile, writeStoredFile } from '../kernel/stored.ts';
import { requireLearned, requireTool } from './choose-tools.ts';
import type { ModelLookup } from './computations.ts';
import type { IqaEngine, LearnedModel, ModelInterface } from './engine.ts';
import type { IqaCatalogue, IqaTool } from './metadata.ts';
import type { Size } from './metric.ts';
import { requireInterface, requireScores, type SampleScore, sampleScores } from './model-check.ts';
import { type ModelFile, type ModelRecord, ModelRecordFile } from './model-record.ts';
import { Preprocessing } from './preprocess.ts';
import { toolNameOf } from './to-definitions.ts';

/** Moves model files, which may be larger than memory, between this machine and the store. */
export interface ModelFiles {
  /** The model file first, then the files of external data that it names and that lie beside it. */
  describe(path: string): Promise<readonly (ModelFile & { readonly path: string })[]>;
  /** The text of the .json file of the same name beside it, if there is one. */
  readSidecar(path: string): Promise<string | undefined>;
  store(path: string, key: string): Promise<void>;
  /** Downloads stored files into one folder of this machine, checks their digests, and returns the path of the first. */
  place(files: readonly (ModelFile & { readonly key: string })[]): Promise<string>;
}

export interface ModelPorts {
  readonly catalogue: IqaCatalogue;
  readonly blobs: Blobs;
  readonly files: ModelFiles;
  readonly engine: IqaEngine;
  readonly clock: Pick<Clock, 'now'>;
  /** Probes a model in another process; in this one unless given. */
  readonly probe?: ProbeModel | undefined;
}

/** Opens a model, checks its inputs and scores sample pictures; refuses one that does not fit the tool. */
export type ProbeModel = (tool: IqaTool, model: LearnedModel, exportedSizes?: readonly Size[]) => Promise<ProbeResult>;

export interface ProbeResult extends ModelInterface {
  readonly scores: readonly SampleScore[];
}

/** Probes models on an engine of this process. */
export const probeOn =
  (engine: IqaEngine): ProbeModel =>
  async (tool, model, exportedSizes) => {
    const { inputs, outputs } = await engine.inspect(model.path);
    requireInterface(tool, { inputs, outputs }, model.preprocessing);
    return { inputs, outputs, scores: await sampleScores(engine, tool, model, exportedSizes) };
  };

export interface AddModel {
  readonly tool: string;
  readonly path: string;
  /** Overrides what the metadata says of the tool. */
  readonly preprocessing?: unknown;
}

/** The model files of learned tools. A model is added only once it opened, took its inputs and scored sample pictures. */
export interface ModelStore extends ModelLookup {
  add(request: AddModel): Promise<ModelRecord>;
  /** Fetches the files, checks digests and inputs, and scores the sample picture again. */
  verify(tool: string): Promise<ModelRecord & { readonly score_now: number }>;
  list(): Promise<readonly ModelRecord[]>;
  remove(tool: string): Promise<void>;
}

const PREFIX = 'models/';
const folderOf = (tool: string): string => `${PREFIX}${toolNameOf(tool)}/`;
const recordKey = (tool: string): string => `${folderOf(tool)}record.json`;
const fileKey = (tool: string, sha256: string, name: string): string => `${folderOf(tool)}${sha256}/${name}`;

export const createModelStore = (ports: ModelPorts): ModelStore => {
  const { blobs, files, catalogue } = ports;
  const read = async (key: string): Promise<ModelRecord | undefined> => {
    const bytes = await blobs.get(key);
    return bytes && readStoredFile(key, bytes, ModelRecordFile);
  };
  // An unreadable record makes only its own tool unavailable.
  const readIfPossible = (key: string): Promise<ModelRecord | undefined> =>
    read(key).catch((thrown: unknown) => {
      if (isUnreadable(thrown)) return undefined;
      throw thrown;
    });
  const place = async (record: ModelRecord): Promise<LearnedModel> => ({
    path: await files.place(
      record.files.map((file) => ({ ...file, key: fileKey(record.tool, record.sha256, file.name) })),
    ),
    digest: record.sha256,
    preprocessing: record.preprocessing,
  });
  const list = async (): Promise<readonly ModelRecord[]> => {
    const keys = (await blobs.list(PREFIX)).filter((key) => key.endsWith('/record.json'));
    const records = await Promise.all(keys.map(readIfPossible));
    return records.filter((record) => record !== undefined);
  };
  return {
    list,
    add: (request) => addModel(ports, request),
    names: async () => new Set((await list()).map(({ tool }) => tool)),
    async find(tool) {
      const record = await read(recordKey(tool));
      return record && { digest: record.sha256, open: () => place(record) };
    },
    async verify(name) {
      const tool = requireTool(catalogue, name);
      const record = await read(recordKey(tool.name));
      if (!record)
        throw new Fault(
          'NotFound',
          `${tool.name} has no model in the store; add one: assay models add ${tool.name} file.onnx`,
          { tool: tool.name },
        );
      const { scores } = await (ports.probe ?? probeOn(ports.engine))(tool, await place(record));
      return { ...record, score_now: scores[0]?.score ?? Number.NaN };
    },
    async remove(name) {
      const tool = requireTool(catalogue, name);
      const keys = await blobs.list(folderOf(tool.name));
      // The record goes first, so that nobody reads files that are half deleted.
      await blobs.remove(recordKey(tool.name));
      await Promise.all(keys.map((key) => blobs.remove(key)));
    },
  };
};

const addModel = async (ports: ModelPorts, request: AddModel) => {
  const { catalogue, blobs, files, engine, clock } = ports;
  const tool = requireLearned(catalogue, request.tool);
  const exported = parseExported(await files.readSidecar(request.path), tool);
  const preprocessing = parsePreprocessing(
    request.preprocessing ?? exported?.preprocessing ?? tool.preprocessing ?? {},
    tool.name,
  );
  const described = await files.describe(request.path);
  if (described.length === 0)
    throw new Fault('NotFound', `there is no model file ${request.path}; check the path`, { tool: tool.name });
  const digest = digestOfFiles(described);
  const model = { path: request.path, digest, preprocessing };
  const { inputs, outputs, scores } = await (ports.probe ?? probeOn(engine))(
    tool,
    model,
    exported?.scores.map(({ width, height }) => ({ width, height })),
  );
  if (exported) requireScores(tool, scores, exported.scores);
  const record: ModelRecord = {
    tool: tool.name,
    sha256: digest,
    files: described.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 })),
    inputs: [...inputs],
    outputs: [...outputs],
    preprocessing,
    sample_score: scores[0]?.score ?? Number.NaN,
    compared_with: exported?.scores,
    added_at: new Date(clock.now()).toISOString(),
  };
  for (const { name, path } of described) await files.store(path, fileKey(tool.name, digest, name));
  await blobs.put(recordKey(tool.name), writeStoredFile(ModelRecordFile, record), 'application/json');
  const stale = (await blobs.list(folderOf(tool.name))).filter((key) => !belongsTo(record, key));
  await Promise.all(stale.map((key) => blobs.remove(key)));
  return record;
};

/** What the exporting script wrote beside its file: the preprocessing, and the scores of PyTorch. */
const exportedSchema = lazily(() => {
  // Sample pictures of these sizes are created in memory.
  const side = z.int().min(1).max(4096);
  const score = z.object({ width: side, height: side, score: z.number() });
  return z.object({ tool: z.string(), preprocessing: z.unknown(), scores: z.array(score).max(8) });
});
type Exported = z.infer<ReturnType<typeof exportedSchema>>;

const parseExported = (text: string | undefined, tool: IqaTool): Exported | undefined => {
  if (text === undefined) return undefined;
  const found = exportedSchema().safeParse(parseJsonOrUndefined(text));
  // Any other JSON file may lie beside a model.
  if (!found.success) return undefined;
  if (found.data.tool === tool.name) return found.data;
  throw new Fault(
    'InvalidInput',
    `this file was exported as ${found.data.tool}, not as ${tool.name}; add it as ${found.data.tool}`,
    {
      tool: tool.name,
    },
  );
};

const parseJsonOrUndefined = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const belongsTo = ({ tool, sha256 }: ModelRecord, key: string): boolean =>
  key === recordKey(tool) || key.startsWith(fileKey(tool, sha256, ''));

// A single file is identified by its own digest; with external data, by the digests of all files.
const digestOfFiles = (files: readonly ModelFile[]): string =>
  files.length === 1 && files[0] ? files[0].sha256 : sha256(files.map((file) => file.sha256).join('\n'));

const parsePreprocessing = (given: unknown, tool: string): Preprocessing => {
  try {
    return Preprocessing.parse(given);
  } catch (thrown) {
    throw new Fault('InvalidInput', `the preprocessing of ${tool} is not valid: ${messageOf(thrown)}`, { tool });
  }
};
