import { Fault } from '../kernel/errors.ts';
import { ObjectCreated } from '../model/delivery.ts';
import type { StoredObject } from './claim.ts';
import { ImageKey } from './upload.ts';

/** Parses an event to the tenant and image that it reports. */
export const readObjectCreated = (event: unknown): StoredObject => {
  const parsed = ObjectCreated.safeParse(event);
  if (!parsed.success)
    throw new Fault('InvalidInput', 'the event is not an Object Created event of S3', { issues: parsed.error.issues });
  const { key: path, etag, size, sequencer } = parsed.data.detail.object;
  const [, tenant, key] = /^images\/([a-z0-9][a-z0-9_-]{0,62})\/([^/]+)$/.exec(path) ?? [];
  if (tenant === undefined || !ImageKey.safeParse(key).success)
    throw new Fault('InvalidInput', `the object ${JSON.stringify(path)} is not of the form images/<tenant>/<key>`, {
      path,
    });
  return { tenant, key: key ?? '', etag: (etag ?? sequencer ?? '').replaceAll('"', ''), size, sequencer };
};

/** Creates the same event for a store that sends none. */
export const objectCreated = (
  path: string,
  etag: string,
  size: number | undefined,
  sequencer: string | undefined,
): ObjectCreated => ({
  'detail-type': 'Object Created',
  source: 'aws.s3',
  detail: { bucket: { name: 'local' }, object: { key: path, etag, size, sequencer } },
});
