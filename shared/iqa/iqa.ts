import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Fault } from '../kernel/errors.ts';
import { GENERATED_PREFIX, imageBlobKey } from '../kernel/item-keys.ts';
import { lazily } from '../kernel/lazily.ts';
import type { Blobs, Clock, Handler, Log, Table } from '../kernel/ports.ts';
import { createComputations } from './computations.ts';
import type { IqaEngine } from './engine.ts';
import { fitHandler } from './fit-tool.ts';
import { createStamp, type PublishedKey, publishKeys } from './hallmark.ts';
import { iqaHandler } from './handler.ts';
import type { ReadImage } from './image-source.ts';
import { mapHandler } from './map-tool.ts';
import { calibrationWarnings, type IqaCatalogue, nameWarnings } from './metadata.ts';
import { createModelStore, type ModelFiles, type ModelStore, type ProbeModel } from './models.ts';
import type { ScoreDeps } from './score.ts';
import { createScoreCache } from './score-cache.ts';
import { shippedComputations } from './shipped.ts';
import { type TryPicture, toTrial } from './try-picture.ts';

export interface IqaPorts {
  readonly catalogue: IqaCatalogue;
  readonly engine: IqaEngine;
  readonly table: Table;
  readonly blobs: Blobs;
  readonly modelFiles: ModelFiles;
  /** Probes a new model in another process; in this one unless given. */
  readonly probe?: ProbeModel | undefined;
  /** Tries a picture that may have crashed a process in another process; absent where none can be started. */
  readonly tryPicture?: TryPicture | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Charges the bytes of a generated picture to its tenant's storage quota, or refuses them. */
  readonly admitBytes?: ((tenant: string, bytes: number) => Promise<void>) | undefined;
  /** Why the upload of a missing picture was refused, if it was. */
  readonly refusalOf?: ((tenant: string, key: string) => Promise<Fault | undefined>) | undefined;
  /** Signs scores; without it they carry no hallmark. */
  readonly signingKey?: KeyObject;
}

/** Everything that measures pictures, composed once per process. */
export interface Iqa extends ScoreDeps {
  readonly models: ModelStore;
  readonly readImage: ReadImage;
  /** Scores a picture in a process of its own, to find out whether it crashes one; absent where that is impossible. */
  readonly tryIsolated?: ((request: Parameters<typeof toTrial>[1]) => Promise<void>) | undefined;
  /** The internal handlers that image tools name. */
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly publishedKeys: readonly PublishedKey[];
}

export const composeIqa = (ports: IqaPorts): Iqa => {
  const { catalogue, engine, table, blobs, clock, log, signingKey, tryPicture } = ports;
  logWarnings(catalogue, log);
  const models = createModelStore({
    catalogue,
    blobs,
    files: ports.modelFiles,
    engine,
    clock,
    probe: ports.probe,
  });
  const deps: ScoreDeps = {
    catalogue,
    engine,
    computations: createComputations(shippedComputations(), models),
    cache: createScoreCache({ table, log }),
    clock,
    log,
    stamp: signingKey && createStamp(signingKey),
  };
  const readImage: ReadImage = async (tenant, key) => {
    const bytes = await blobs.get(imageBlobKey(tenant, key));
    const refusal = bytes ? undefined : await ports.refusalOf?.(tenant, key);
    if (refusal) throw refusal;
    return bytes;
  };
  const writeImage = async (tenant: string, bytes: Uint8Array, type: string): Promise<string> => {
    await ports.admitBytes?.(tenant, bytes.length);
    const key = `${GENERATED_PREFIX}${clock.newId().toLowerCase()}.${type.replace('image/', '')}`;
    await blobs.put(imageBlobKey(tenant, key), bytes, type);
    return key;
  };
  return {
    ...deps,
    models,
    readImage,
    tryIsolated: tryPicture && (async (request) => tryPicture(await toTrial(deps, request))),
    handlers: new Map([
      ['iqa', lazyHandler(() => iqaHandler({ ...deps, readImage }))],
      ['image_fit', lazyHandler(() => fitHandler({ ...deps, readImage, writeImage }))],
      ['score_map', lazyHandler(() => mapHandler({ engine, readImage }))],
    ]),
    publishedKeys: signingKey === undefined ? [] : publishKeys([createPublicKey(signingKey)]).keys,
  };
};

/** Creates the handler on its first call, so that a start does not load what it depends on. */
const lazyHandler = (make: () => Handler): Handler => {
  const handler = lazily(make);
  return { permission: 'safe', run: (args, context) => handler().run(args, context) };
};

/** Logs one line for all warnings. That a tool without a model file is not calibrated matters only once it has one. */
const logWarnings = ({ tools }: IqaCatalogue, log: Log): void => {
  const shipped = tools.filter(({ graph }) => graph !== undefined);
  const warnings = [...tools.flatMap(nameWarnings), ...shipped.flatMap(calibrationWarnings)];
  if (warnings.length > 0)
    log.info('image-quality metadata has warnings', { warnings: warnings.length, examples: warnings.slice(0, 3) });
};
