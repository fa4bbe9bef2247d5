import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp';
import { openPlain, type PlainPicture } from '../../iqa/formats/plain-picture.ts';
import type { Size } from '../../iqa/metric.ts';
import type { Picture, Pixels } from '../../iqa/pixels.ts';
import { Fault, messageOf } from '../../kernel/errors.ts';
import type { DecodeLimits } from './limits.ts';
import { type Allocate, spoolPixels } from './spool.ts';

/**
 * Decodes a picture to 8-bit RGB in shared memory: the first frame, turned as EXIF says, alpha laid on white.
 * RGB and grey profiles are left alone, as IQA-PyTorch leaves them; CMYK becomes sRGB by its profile.
 */
export async function decodePicture(
  bytes: Uint8Array,
  name: string,
  limits: DecodeLimits,
  allocate: Allocate,
): Promise<Picture> {
  checkBytes(bytes, name, limits);
  const plain = named(name, () => openPlain(bytes));
  if (plain) return readPlain(plain, name, limits, allocate);
  const metadata = await readMetadata(bytes, name);
  const format = formatOf(metadata, name);
  checkPixels(metadata, name, limits);
  const pixels = await readPixels(bytes, metadata, allocate).catch((thrown: unknown) => {
    const text = `${name} is a damaged or incomplete ${format} file (${firstLine(thrown)}); send the whole file again`;
    throw new Fault('InvalidInput', text, { picture: name, format }, { cause: thrown });
  });
  return { name, format, pixels, notes: notesOf(metadata) };
}

function readPlain(plain: PlainPicture, name: string, limits: DecodeLimits, allocate: Allocate): Picture {
  const { format, width, height, notes } = plain;
  checkPixels(plain, name, limits);
  const data = allocate(width * height * 3);
  named(name, () => plain.read(data));
  return { name, format, pixels: { width, height, data }, notes };
}

/** A refusal of a decoder that does not know what the picture is called. */
function named<Value>(name: string, decode: () => Value): Value {
  try {
    return decode();
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    throw new Fault(thrown.code, `${name} ${thrown.message}`, { picture: name }, { cause: thrown });
  }
}

function checkBytes(bytes: Uint8Array, name: string, limits: DecodeLimits): void {
  if (bytes.length === 0) {
    throw new Fault('InvalidInput', `${name} is empty; send the bytes of a picture`, { picture: name });
  }
  if (bytes.length <= limits.bytes) return;
  const text = `${name} has ${bytes.length} bytes, the limit is ${limits.bytes}; compress it or make it smaller`;
  throw new Fault('TooLarge', text, { picture: name, bytes: bytes.length, limit: limits.bytes });
}

// The limit is checked here, from the header, so that the message can name the picture and the cure.
const header: SharpOptions = { limitInputPixels: false, failOn: 'error' };

async function readMetadata(bytes: Uint8Array, name: string): Promise<Metadata> {
  try {
    return await sharp(bytes, header).metadata();
  } catch (thrown) {
    const text = `${name} is not a picture that can be read (${firstLine(thrown)}); send ${known}`;
    throw new Fault('InvalidInput', text, { picture: name }, { cause: thrown });
  }
}

const formats = ['jpeg', 'png', 'webp', 'avif', 'tiff', 'gif'];
const known = 'JPEG, PNG, WebP, AVIF, TIFF, GIF, BMP, PPM or PGM';

function formatOf(metadata: Metadata, name: string): string {
  const format = metadata.format === 'heif' && metadata.compression === 'av1' ? 'avif' : metadata.format;
  if (formats.includes(format)) return format;
  throw new Fault('InvalidInput', `${name} is ${format}, which is not read here; send ${known}`, {
    picture: name,
    format,
  });
}

function checkPixels({ width, height }: Size, name: string, limits: DecodeLimits): void {
  if (width * height <= limits.pixels) return;
  const text = `${name} has ${width} x ${height} pixels, the limit is ${Math.floor(limits.pixels / 1e6)} megapixels; make it smaller`;
  throw new Fault('InvalidInput', text, { picture: name, width, height, limit_pixels: limits.pixels });
}

// Above this, a copy beside the shared memory would cost more than writing the pixels to a file and back.
const spoolAbove = 40e6;

async function readPixels(bytes: Uint8Array, metadata: Metadata, allocate: Allocate): Promise<Pixels> {
  if (metadata.width * metadata.height > spoolAbove) {
    return spoolPixels(pipeline(bytes, metadata), allocate);
  }
  const { data, info } = await pipeline(bytes, metadata).raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`${info.channels} channels instead of 3`);
  const shared = allocate(data.length);
  shared.set(data);
  return { width: info.width, height: info.height, data: shared };
}

function pipeline(bytes: Uint8Array, metadata: Metadata): Sharp {
  return sharp(bytes, { ...header, ignoreIcc: metadata.space !== 'cmyk' })
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb');
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

const firstLine = (thrown: unknown): string => messageOf(thrown).split('\n')[0] ?? '';
