import { readFileSync } from 'node:fs';
import { onnxEngine } from '../../shared/adapters/onnx/engine.ts';
import { blobModelFiles } from '../../shared/adapters/onnx/model-files.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { createComputations, type ModelLookup } from '../../shared/iqa/computations.ts';
import type { IqaEngine } from '../../shared/iqa/engine.ts';
import { composeIqa, type Iqa, type IqaPorts } from '../../shared/iqa/iqa.ts';
import { type IqaCatalogue, parseMetadata } from '../../shared/iqa/metadata.ts';
import type { ScoreDeps } from '../../shared/iqa/score.ts';
import { createScoreCache } from '../../shared/iqa/score-cache.ts';
import { shippedComputations } from '../../shared/iqa/shipped.ts';
import type { Log } from '../../shared/kernel/ports.ts';
import { recordingLog } from './recording-log.ts';

/** A picture of test/golden/iqa as a submitted file. */
export const goldenImage = (name: string) => ({
  name,
  bytes: new Uint8Array(readFileSync(new URL(`../golden/iqa/${name}`, import.meta.url))),
});

/** The shipped catalogue. */
export const shippedCatalogue = (): IqaCatalogue =>
  parseMetadata(readFileSync(new URL('../../metadata/tools.json', import.meta.url), 'utf8'), 'metadata/tools.json');

const noModels: ModelLookup = { find: async () => undefined, names: async () => new Set() };

/** The dependencies of scoring, with an engine that counts the runs of each tool. */
export const scoring = (
  engine: IqaEngine,
  over: Partial<Omit<ScoreDeps, 'engine'>> & { readonly models?: ModelLookup } = {},
) => {
  const { models = noModels, ...given } = over;
  const log = recordingLog();
  const runs: string[] = [];
  const counting: IqaEngine = {
    ...engine,
    score: (request) => {
      runs.push(request.tool);
      return engine.score(request);
    },
  };
  const deps: ScoreDeps = {
    catalogue: shippedCatalogue(),
    engine: counting,
    computations: createComputations(shippedComputations(), models),
    cache: createScoreCache({ log }),
    clock: { now: () => 1_700_000_000_000 },
    log,
    ...given,
  };
  return { deps, runs, log };
};

export const testEngine = (log: Log = recordingLog()): IqaEngine => onnxEngine({ log, workers: 2 });

/** The image-quality part of the product on in-memory stores. */
export const testIqa = (ports: Pick<IqaPorts, 'engine' | 'table' | 'blobs'> & Partial<IqaPorts>): Iqa =>
  composeIqa({
    catalogue: shippedCatalogue(),
    modelFiles: blobModelFiles(ports.blobs, 'unused'),
    clock: systemClock(),
    log: recordingLog(),
    ...ports,
  });

/** An engine, and the names of its decoded pictures that have not been released yet. */
export const watchingMemory = (engine: IqaEngine): { readonly engine: IqaEngine; readonly held: Set<string> } => {
  const held = new Set<string>();
  return {
    held,
    engine: {
      ...engine,
      async decode(bytes, name, signal) {
        const picture = await engine.decode(bytes, name, signal);
        held.add(picture.name);
        return picture;
      },
      release(picture) {
        held.delete(picture.name);
        engine.release(picture);
      },
    },
  };
};
