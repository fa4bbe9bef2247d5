import { GetObjectCommand, NoSuchKey, type S3Client } from '@aws-sdk/client-s3';
import sharp from 'sharp';
import { MAX_PICTURE_BYTES } from '../../uploads/upload.ts';

interface Options {
  readonly client: S3Client;
  readonly bucket: string;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Nearly every header lies in the beginning of its file; some TIFFs have it at the end. */
const HEAD_BYTES = 256 * 1024;

/** Reads the size of a stored picture from its header; undefined when there is none to read. */
export const s3PictureSize =
  ({ client, bucket }: Options) =>
  async (key: string): Promise<Size | undefined> => {
    const head = await read(client, bucket, key, HEAD_BYTES);
    if (!head) return undefined;
    const size = await sizeOf(head.bytes);
    if (size || head.total <= head.bytes.length || head.total > MAX_PICTURE_BYTES) return size;
    const whole = await read(client, bucket, key, head.total);
    return whole && sizeOf(whole.bytes);
  };

const read = async (client: S3Client, bucket: string, key: string, length: number) => {
  const range = { Bucket: bucket, Key: key, Range: `bytes=0-${length - 1}` };
  try {
    const { Body, ContentRange } = await client.send(new GetObjectCommand(range));
    const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
    return { bytes, total: Number(ContentRange?.split('/')[1] ?? bytes.length) };
  } catch (thrown) {
    // Gone meanwhile, or empty: an empty object has no range to give.
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
