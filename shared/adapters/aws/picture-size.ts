import { GetObjectCommand, NoSuchKey, S3Client } from '@aws-sdk/client-s3';
import sharp from 'sharp';
import { MAX_PICTURE_BYTES } from '../../kernel/limits.ts';
import { clientSettings } from './client-settings.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Nearly every header is at the beginning of its file; some TIFFs have it at the end. */
const HEAD_BYTES = 256 * 1024;

/** Reads the size of a picture in a bucket from its header; undefined when the header is unreadable. */
export const s3PictureSize = (bucket: string): ((key: string) => Promise<Size | undefined>) => {
  const client = new S3Client(clientSettings('objects'));
  return async (key) => {
    const head = await read(client, bucket, key, HEAD_BYTES);
    if (!head) return undefined;
    const size = await sizeOf(head.bytes);
    if (size || head.total <= head.bytes.length || head.total > MAX_PICTURE_BYTES) return size;
    const whole = await read(client, bucket, key, head.total);
    return whole && sizeOf(whole.bytes);
  };
};

const read = async (client: S3Client, bucket: string, key: string, length: number) => {
  const range = { Bucket: bucket, Key: key, Range: `bytes=0-${length - 1}` };
  try {
    const { Body, ContentRange } = await client.send(new GetObjectCommand(range));
    const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
    return { bytes, total: Number(ContentRange?.split('/')[1] ?? bytes.length) };
  } catch (thrown) {
    // Deleted, or empty: an empty object has no range.
    if (thrown instanceof NoSuchKey || (thrown instanceof Error && thrown.name === 'InvalidRange')) return undefined;
    throw thrown;
  }
};

const sizeOf = async (bytes: Uint8Array): Promise<Size | undefined> => {
  try {
    const { width, height } = await sharp(bytes, { failOn: 'none', limitInputPixels: false }).metadata();
    return { width, height };
  } catch {
    return undefined;
  }
};
