import type { PictureBudget } from '../../shared/adapters/images/picture-budget.ts';
import type { PictureLimits } from '../../shared/adapters/images/picture-formats.ts';
import { onnxEngine } from '../../shared/adapters/onnx/engine.ts';
import { blobModelFiles } from '../../shared/adapters/onnx/model-files.ts';
import { probeInProcess } from '../../shared/adapters/onnx/probe-process.ts';
import { tryInProcess } from '../../shared/adapters/onnx/trial-process.ts';
import { composeIqa, type Iqa, type IqaPorts } from '../../shared/iqa/iqa.ts';
import { shippedCatalogue } from '../../shared/iqa/shipped-catalogue.ts';
import { tracedEngine } from '../../shared/iqa/traced-engine.ts';
import type { Clock, Log } from '../../shared/kernel/ports.ts';
import type { LocalStore } from './local-store.ts';

interface Options {
  readonly store: LocalStore;
  readonly clock: Clock;
  readonly log: Log;
  /** ONNX Runtime's execution providers, such as `cuda,cpu`. */
  readonly providers?: readonly string[] | undefined;
  readonly admitBytes: IqaPorts['admitBytes'];
  readonly refusalOf: IqaPorts['refusalOf'];
  readonly limits?: PictureLimits;
  readonly budget?: PictureBudget;
}

/** The image-quality part of the product on one machine. */
export const localIqa = ({ store, clock, log, admitBytes, refusalOf, ...engine }: Options): Iqa =>
  composeIqa({
    catalogue: shippedCatalogue(),
    engine: tracedEngine(onnxEngine({ log, graphFolder: store.graphFolder, ...engine })),
    table: store.table,
    blobs: store.blobs,
    modelFiles: blobModelFiles(store.blobs, store.modelFolder),
    probe: probeInProcess(),
    tryPicture: tryInProcess(),
    clock,
    log,
    admitBytes,
    refusalOf,
    signingKey: store.signingKey,
  });
