import { Fault } from '../../kernel/errors.ts';
import type { PlainPicture } from './plain-picture.ts';

const FILE_HEADER = 14;
const [RGB, BITFIELDS, ALPHA_BITFIELDS] = [0, 3, 6];

/** Opens a Windows or OS/2 bitmap: 1 to 32 bits per pixel, with a palette or masks, bottom-up or top-down. */
export const openBitmap = (bytes: Uint8Array): PlainPicture => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = readHeader(view);
  const { width, height, bits, start, stride } = header;
  const needed = start + stride * height;
  if (needed > bytes.length)
    throw refusal(
      `it says ${width} x ${height} pixels of ${bits} bits, ${needed} bytes, but the file has ${bytes.length}`,
    );
  const colourAt = bits <= 8 ? indexed(bytes, header) : direct(view, header);
  return {
    format: 'bmp',
    width,
    height,
    notes: header.masks.alpha === 0 ? [] : ['transparency, if any, laid on white'],
    read(target) {
      for (let y = 0, at = 0; y < height; y++) {
        const row = start + (header.isTopDown ? y : height - 1 - y) * stride;
        for (let x = 0; x < width; x++, at += 3) {
          const colour = colourAt(row, x);
          target[at] = colour >> 16;
          target[at + 1] = (colour >> 8) & 255;
          target[at + 2] = colour & 255;
        }
      }
    },
  };
};

interface Header {
  readonly width: number;
  readonly height: number;
  readonly isTopDown: boolean;
  readonly bits: number;
  readonly start: number;
  readonly stride: number;
  readonly palette: { readonly start: number; readonly entry: number; readonly count: number };
  readonly masks: Masks;
}

type Masks = Readonly<Record<'red' | 'green' | 'blue' | 'alpha', number>>;

const readHeader = (view: DataView): Header => {
  if (view.byteLength < FILE_HEADER + 12) throw refusal('its header is cut off');
  const size = view.getUint32(FILE_HEADER, true);
  const isCore = size === 12;
  if ((!isCore && size < 40) || size > 1024 || FILE_HEADER + size > view.byteLength)
    throw refusal(`its header says it is ${size} bytes long`);
  const width = isCore ? view.getUint16(18, true) : view.getInt32(18, true);
  const tall = isCore ? view.getUint16(20, true) : view.getInt32(22, true);
  const bits = view.getUint16(isCore ? 24 : 28, true);
  const compression = isCore ? RGB : view.getUint32(30, true);
  const height = Math.abs(tall);
  if (width <= 0 || height === 0) throw refusal(`it says ${width} x ${tall} pixels`);
  if (![1, 4, 8, 16, 24, 32].includes(bits)) throw refusal(`${bits} bits a pixel are not known`);
  if (![RGB, BITFIELDS, ALPHA_BITFIELDS].includes(compression) || (compression !== RGB && bits < 16))
    throw refusal(`its compression ${compression} is not read; save it uncompressed, or as PNG`);
  const masks = readMasks(view, { bits, compression, size });
  const separate = compression !== RGB && size === 40 ? (compression === BITFIELDS ? 12 : 16) : 0;
  const used = isCore ? 0 : view.getUint32(46, true);
  const palette = {
    start: FILE_HEADER + size + separate,
    entry: isCore ? 3 : 4,
    count: bits > 8 ? 0 : Math.min(used || 2 ** bits, 2 ** bits),
  };
  const start = view.getUint32(10, true);
  if (start < palette.start + palette.entry * palette.count)
    throw refusal(`its pixels begin at ${start}, within its header`);
  return {
    width,
    height,
    isTopDown: tall < 0,
    bits,
    start,
    stride: Math.ceil((width * bits) / 32) * 4,
    palette,
    masks,
  };
};

const readMasks = (
  view: DataView,
  { bits, compression, size }: { readonly bits: number; readonly compression: number; readonly size: number },
): Masks => {
  if (compression === RGB)
    return bits === 16
      ? { red: 0x7c00, green: 0x3e0, blue: 0x1f, alpha: 0 }
      : { red: 0xff0000, green: 0xff00, blue: 0xff, alpha: 0 };
  if (view.byteLength < 70) throw refusal('its masks are cut off');
  const hasAlpha = compression === ALPHA_BITFIELDS || size >= 56;
  const [red, green, blue, alpha] = [54, 58, 62, 66].map((at) => view.getUint32(at, true)) as [
    number,
    number,
    number,
    number,
  ];
  if (red === 0 || green === 0 || blue === 0) throw refusal('a mask of its colours is empty');
  return { red, green, blue, alpha: hasAlpha ? alpha : 0 };
};

type ColourAt = (row: number, x: number) => number;

const indexed = (bytes: Uint8Array, { bits, palette }: Header): ColourAt => {
  const colours = Uint32Array.from({ length: 2 ** bits }, (_, index) => {
    if (index >= palette.count) return 0;
    const at = palette.start + index * palette.entry;
    return ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at] ?? 0);
  });
  const perByte = 8 / bits;
  return (row, x) => {
    const byte = bytes[row + Math.floor(x / perByte)] as number;
    const shift = 8 - bits * ((x % perByte) + 1);
    return colours[(byte >> shift) & (2 ** bits - 1)] as number;
  };
};

const direct = (view: DataView, { bits, masks }: Header): ColourAt => {
  const read =
    bits === 16
      ? (row: number, x: number) => view.getUint16(row + 2 * x, true)
      : bits === 24
        ? (row: number, x: number) => view.getUint16(row + 3 * x, true) | (view.getUint8(row + 3 * x + 2) << 16)
        : (row: number, x: number) => view.getUint32(row + 4 * x, true);
  const [red, green, blue] = [channel(masks.red), channel(masks.green), channel(masks.blue)];
  const alpha = masks.alpha === 0 ? () => 255 : channel(masks.alpha);
  const onWhite = (value: number, opacity: number): number =>
    opacity === 255 ? value : Math.round((value * opacity + 255 * (255 - opacity)) / 255);
  return (row, x) => {
    const value = read(row, x);
    const opacity = alpha(value);
    return (onWhite(red(value), opacity) << 16) | (onWhite(green(value), opacity) << 8) | onWhite(blue(value), opacity);
  };
};

/** Reads the bits under a mask, scaled to 0..255. */
const channel = (mask: number): ((value: number) => number) => {
  const shift = Math.log2((mask & -mask) >>> 0);
  const most = mask >>> shift;
  return most === 255
    ? (value) => (value >>> shift) & 255
    : (value) => Math.round((255 * ((value & mask) >>> shift)) / most);
};

const refusal = (what: string): Fault => new Fault('InvalidInput', `is a damaged or unknown bmp file: ${what}`);
