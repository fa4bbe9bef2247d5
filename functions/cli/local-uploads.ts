import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkSignedPut } from '../../shared/adapters/files/signed-put.ts';
import type { Assay } from '../../shared/assay.ts';
import { sha256InSlices } from '../../shared/kernel/digest-slices.ts';
import { Fault, messageOf } from '../../shared/kernel/errors.ts';
import { MAX_PICTURE_BYTES } from '../../shared/kernel/limits.ts';
import { pause } from '../../shared/kernel/pause.ts';
import { isUnreadable } from '../../shared/kernel/stored.ts';
import type { ObjectCreated } from '../../shared/model/delivery.ts';
import { createDeliveries } from '../../shared/uploads/deliveries.ts';
import { objectCreated, readObjectCreated } from '../../shared/uploads/object-event.ts';
import {
  hasFailed,
  MAX_ATTEMPTS,
  scoreUpload,
  secondsUntilFree,
  secondsUntilRoom,
  type UploadContext,
} from '../../shared/uploads/score-upload.ts';
import { readBytes } from '../api/body-bytes.ts';
import { createBodyMemory } from '../api/body-memory.ts';
import { type AnyRoute, route } from '../api/route.ts';

export interface LocalUploads {
  /** Stores a picture and creates the event that S3 would send. */
  store(path: string, bytes: Uint8Array, contentType?: string): Promise<void>;
  /** Takes over unfinished uploads of other processes, at start and with every heartbeat. */
  takeOver(): Promise<void>;
  /** Waits until every event is handled. */
  idle(): Promise<void>;
  /** Takes no more events, and waits in the same way. */
  close(): Promise<void>;
}

/**
 * The local counterpart of S3 and EventBridge: stores objects, delivers their events, retries, and sets failing ones
 * aside.
 */
export const localUploads = (assay: Assay, folder: string): LocalUploads => {
  const context = uploadContext(assay);
  const deliveries = createDeliveries(assay, async (event, delivery, isLost) => {
    const object = { ...readObjectCreated(event), delivery };
    for (let attempt = 1; !isLost(); ) {
      try {
        await scoreUpload(context, object, isLost);
        return;
      } catch (error) {
        const roomIn = secondsUntilRoom(error);
        if (roomIn !== undefined) {
          await pause(assay.timers, roomIn * 1000);
          continue;
        }
        if (isUnreadable(error) || (await hasFailed(context, object))) return putAside(folder, event, messageOf(error));
        // The event stays in the table to be retried: another process handles it, or its failure could not be stored.
        if (secondsUntilFree(error) !== undefined || attempt >= MAX_ATTEMPTS) throw error;
        attempt++;
      }
    }
  });
  return {
    async store(path, bytes, contentType) {
      await context.blobs.put(path, bytes, contentType);
      const sequencer = assay.clock.now().toString(16).padStart(16, '0');
      await deliveries.send(objectCreated(path, await sha256InSlices(bytes), bytes.length, sequencer));
    },
    takeOver: deliveries.takeOver,
    idle: deliveries.idle,
    close: deliveries.close,
  };
};

const uploadContext = ({ iqa, blobs, ...assay }: Assay): UploadContext => {
  if (!iqa || !blobs) throw new Fault('Unavailable', 'uploads need the image side of the product');
  return { ...assay, iqa, blobs };
};

const putAside = async (folder: string, event: ObjectCreated, reason: string): Promise<void> => {
  const name = event.detail.object.key.replaceAll('/', '-');
  await mkdir(join(folder, 'dead-letters'), { recursive: true });
  await writeFile(join(folder, 'dead-letters', `${name}.json`), JSON.stringify({ reason, event }, undefined, 2));
};

/** Uploads of one tenant in memory at a time, before they are stored: two pictures of the largest size. */
const MOST_PICTURE_BYTES = 2 * MAX_PICTURE_BYTES;

/** Accepts pictures at signed URLs of this server, without an API key. */
export const signedUploadRoutes = (assay: Assay, uploads: LocalUploads, secret: Uint8Array): readonly AnyRoute[] => {
  const bodies = createBodyMemory(MOST_PICTURE_BYTES);
  return [
    route({
      method: 'put',
      path: '/uploads/*',
      scope: 'public',
      summary: 'Put the bytes of an announced picture',
      tag: 'Images',
      undocumented: true,
      answers: { 200: { description: 'Stored' } },
      async handle({ context: c }) {
        const path = decodePath(c.req.path.slice('/uploads/'.length));
        const contentType = c.req.header('content-type');
        const size = checkSignedPut(secret, { path, query: c.req.query(), contentType }, assay.clock.now());
        const length = c.req.header('transfer-encoding') === undefined ? c.req.header('content-length') : undefined;
        const { add, release } = bodies.hold(folderOf(path));
        try {
          // A stream of unknown length may have the largest size.
          add(Math.min(Number(length ?? MAX_PICTURE_BYTES), MAX_PICTURE_BYTES));
          const bytes = await readBytes(c, MAX_PICTURE_BYTES);
          if (size !== undefined && bytes.length !== size)
            throw new Fault(
              'InvalidInput',
              `the url is for ${size} bytes, not ${bytes.length}; announce the picture again`,
              {
                limit: size,
              },
            );
          await uploads.store(path, bytes, contentType);
        } finally {
          release();
        }
        return new Response(null);
      },
    }),
  ];
};

/** All uploads of a tenant are in one folder. */
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

const decodePath = (encoded: string): string => {
  try {
    return decodeURIComponent(encoded);
  } catch (cause) {
    throw new Fault('InvalidInput', 'the path is not percent-encoded; use the url as it was given', {}, { cause });
  }
};
