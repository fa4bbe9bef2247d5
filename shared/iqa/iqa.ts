import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Fault } from '../kernel/errors.ts';
import { imageBlobKey, MADE_PREFIX } from '../kernel/item-keys.ts';
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
import { type TryPicture, trialOf } from './try-picture.ts';

export interface IqaPorts {
  readonly catalogue: IqaCatalogue;
  readonly engine: IqaEngine;
  readonly table: Table;
  readonly blobs: Blobs;
  readonly modelFiles: ModelFiles;
  /** Tries a new model; in this process unless given. */
  readonly probe?: ProbeModel | undefined;
  /** Tries a picture at which processes ended; absent where none can be started for it. */
  readonly tryPicture?: TryPicture | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Counts the bytes of a generated picture towards its tenant's storage, or refuses them. */
  readonly admitBytes?: ((tenant: string, bytes: number) => Promise<void>) | undefined;
  /** Why a picture that is not there was refused when it came. */
  readonly whyRefused?: ((tenant: string, key: string) => Promise<Fault | undefined>) | undefined;
  /** Signs scores; without it they carry no hallmark. */
  readonly signingKey?: KeyObject;
}

/** Everything that measures pictures, composed once per process. */
export interface Iqa extends ScoreDeps {
  readonly models: ModelStore;
  readonly readImage: ReadImage;
  /** Scores a picture where it harms nothing else, to know whether it does; absent where that cannot be done. */
  readonly tryApart?: ((request: Parameters<typeof trialOf>[1]) => Promise<void>) | undefined;
  /** The internal handlers that image tools name. */
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly publishedKeys: readonly PublishedKey[];
}

export const composeIqa = (ports: IqaPorts): Iqa => {
  const { catalogue, engine, table, blobs, clock, log, signingKey, tryPicture } = ports;
  tellWarnings(catalogue, log);
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
    const refusal = bytes ? undefined : await ports.whyRefused?.(tenant, key);
    if (refusal) throw refusal;
    return bytes;
  };
  const writeImage = async (tenant: string, bytes: Uint8Array, type: string): Promise<string> => {
    await ports.admitBytes?.(tenant, bytes.length);
    const key = `${MADE_PREFIX}${clock.newId().toLowerCase()}.${type.replace('image/', '')}`;
    await blobs.put(imageBlobKey(tenant, key), bytes, type);
    return key;
  };
  return {
    ...deps,
    models,
    readImage,
    tryApart: tryPicture && (async (request) => tryPicture(await trialOf(deps, request))),
    handlers: new Map([
      ['iqa', later(() => iqaHandler({ ...deps, readImage }))],
      ['image_fit', later(() => fitHandler({ ...deps, readImage, writeImage }))],
      ['score_map', later(() => mapHandler({ engine, readImage }))],
    ]),
    publishedKeys: signingKey === undefined ? [] : publishKeys([createPublicKey(signingKey)]).keys,
  };
};

/** Made by its first call: no start needs what it stands on. */
const later = (make: () => Handler): Handler => {
  const handler = lazily(make);
  return { permission: 'safe', run: (args, context) => handler().run(args, context) };
};

/** One line, however many there are. That a tool without a model is not calibrated is told when it gets one. */
const tellWarnings = ({ tools }: IqaCatalogue, log: Log): void => {
  const shipped = tools.filter(({ graph }) => graph !== undefined);
  const warnings = [...tools.flatMap(nameWarnings), ...shipped.flatMap(calibrationWarnings)];
  if (warnings.length > 0)
    log.info('image-quality metadata has warnings', { warnings: warnings.length, examples: warnings.slice(0, 3) });
};
