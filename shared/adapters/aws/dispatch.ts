import { Fault } from '../../kernel/errors.ts';
import { imageBlobKey, manifestBlobKey } from '../../kernel/item-keys.ts';
import type { Blobs, Clock } from '../../kernel/ports.ts';
import type { StoredObject } from '../../uploads/claim.ts';
import { writeManifest } from '../../uploads/manifest.ts';
import { objectCreated } from '../../uploads/object-event.ts';
import type { Dispatch } from '../../uploads/receive-uploads.ts';
import type { UploadRoute } from '../../uploads/route-upload.ts';

interface Options {
  readonly blobs: Blobs;
  readonly clock: Pick<Clock, 'newId'>;
  /** Invokes the inference function asynchronously with an event. */
  readonly invoke?: ((payload: unknown) => Promise<void>) | undefined;
  readonly batch?: JobPlace | undefined;
}

/** Where jobs are submitted. */
export interface JobPlace {
  readonly queue: string;
  readonly definition: string;
}

/** Sends pictures to the inference function as their original event, and to Batch as a manifest. */
export const awsDispatch = ({ blobs, clock, invoke, batch }: Options): Dispatch => {
  const places: readonly UploadRoute[] = [
    ...(invoke ? (['function'] as const) : []),
    ...(batch ? (['batch'] as const) : []),
  ];
  return {
    places: new Set(places),
    async toFunction(object) {
      if (!invoke) throw new Fault('Unavailable', 'no inference function is configured');
      await invoke(toObjectEvent(object));
    },
    async toBatch(objects) {
      if (!batch) throw new Fault('Unavailable', 'no job queue is configured');
      const id = clock.newId().toLowerCase();
      const manifest = manifestBlobKey(id);
      await blobs.put(manifest, writeManifest(objects), 'application/json');
      await submitPictures(batch, `assay-${id}`, manifest);
    },
  };
};

/** Submits a job for the pictures of a manifest. */
export const submitPictures = async (place: JobPlace, name: string, manifest: string): Promise<void> => {
  const { submitJob } = await import('./submit-job.ts');
  await submitJob({ ...place, name, variables: { [MANIFEST_VARIABLE]: manifest } });
};

/** The environment variable with the manifest of a job. */
export const MANIFEST_VARIABLE = 'ASSAY_MANIFEST';

const toObjectEvent = ({ tenant, key, etag, size, sequencer }: StoredObject) =>
  objectCreated(imageBlobKey(tenant, key), etag, size, sequencer);
