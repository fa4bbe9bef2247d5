import sharp, { type Metadata } from 'sharp';
import type { PlainPicture } from '../../iqa/formats/plain-picture.ts';
import type { Picture, Pixels } from '../../iqa/pixels.ts';
import { Fault } from '../../kernel/errors.ts';
import { firstLine, named, type PictureLimits, readHeader } from '../images/picture-formats.ts';
import { bytesToDecode } from '../images/working-memory.ts';
import { decodeApart } from './decode-apart.ts';
import type { NativeCode } from './native-code.ts';
import { pixelPipeline } from './pixel-pipeline.ts';
import { type Allocate, spoolPixels } from './spool.ts';

export interface DecodeSettings {
  readonly limits: PictureLimits;
  /** The module of the process that large pictures are decoded in; without it they are decoded here. */
  readonly decodeChild?: string | undefined;
}

/**
 * Decodes a picture to 8-bit RGB in shared memory: the first frame, turned as EXIF says, alpha laid on white.
 * RGB and grey profiles are left alone, as IQA-PyTorch leaves them; CMYK becomes sRGB by its profile.
 */
export async function decodePicture(
  bytes: Uint8Array,
  name: string,
  settings: DecodeSettings,
  native: NativeCode,
  allocate: Allocate,
): Promise<Picture> {
  const { plain, metadata, format } = await native.run(() => readHeader(sharp, bytes, name, settings.limits));
  if (plain) return readPlain(plain, name, allocate);
  const pixels = await readPixels(bytes, metadata, settings, native, allocate).catch((thrown: unknown) => {
    if (thrown instanceof Fault) throw thrown;
    const text = `${name} is a damaged or incomplete ${format} file (${firstLine(thrown)}); send the whole file again`;
    throw new Fault('InvalidInput', text, { picture: name, format }, { cause: thrown });
  });
  return { name, format, pixels, notes: notesOf(metadata) };
}

function readPlain(plain: PlainPicture, name: string, allocate: Allocate): Picture {
  const { format, width, height, notes } = plain;
  const data = allocate(width * height * 3);
  named(name, () => plain.read(data));
  return { name, format, pixels: { width, height, data }, notes };
}

/** How many bytes a picture takes while it is decoded, and after. */
export async function measurePicture(bytes: Uint8Array, name: string, limits: PictureLimits): Promise<number> {
  const { width, height, metadata } = await readHeader(sharp, bytes, name, limits);
  return width * height * 3 + (metadata ? bytesToDecode(metadata) : 0);
}

// Above this a copy beside the shared memory would cost more than writing the pixels to a file and back, and decoding
// takes long enough to be worth a process that can be ended.
const largeAbove = 40e6;

async function readPixels(
  bytes: Uint8Array,
  metadata: Metadata,
  { decodeChild }: DecodeSettings,
  native: NativeCode,
  allocate: Allocate,
): Promise<Pixels> {
  const ignoreIcc = metadata.space !== 'cmyk';
  if (metadata.width * metadata.height > largeAbove) {
    return decodeChild === undefined
      ? native.run(() => spoolPixels(pixelPipeline(bytes, ignoreIcc), allocate))
      : decodeApart(decodeChild, bytes, ignoreIcc, allocate);
  }
  const { data, info } = await native.run(() =>
    pixelPipeline(bytes, ignoreIcc).raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true }),
  );
  if (info.channels !== 3) throw new Error(`${info.channels} channels instead of 3`);
  const shared = allocate(data.length);
  shared.set(data);
  return { width: info.width, height: info.height, data: shared };
}

function notesOf({ hasAlpha, pages = 1, orientation = 1, space, depth }: Metadata): readonly string[] {
  return [
    ...(pages > 1 ? [`the first of ${pages} frames or pages`] : []),
    ...(orientation > 1 ? [`turned by its EXIF orientation ${orientation}`] : []),
    ...(hasAlpha ? ['transparency, if any, laid on white'] : []),
    ...(space === 'cmyk' ? ['converted from CMYK'] : []),
    ...(depth === 'uchar' ? [] : [`reduced from ${depth} to 8 bits`]),
  ];
}
