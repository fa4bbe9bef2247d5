/**
 * How many frames or pages a GIF, WebP or TIFF says it has, counted up to `enough`; 1 for any other picture. libvips
 * looks at each of them when it opens a picture: a million pages take gigabytes, and frames of WebP quadratic time.
 */
export const countFrames = (bytes: Uint8Array, enough: number): number => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  try {
    for (const _ of framesOf(view)) if (++count >= enough) return count;
  } catch (thrown) {
    // The picture ends before it should, which its decoder refuses in its own words.
    if (!(thrown instanceof RangeError)) throw thrown;
  }
  return Math.max(1, count);
};

const framesOf = (view: DataView): Iterable<void> => {
  const [start, kind] = view.byteLength < 16 ? [] : [view.getUint32(0), view.getUint32(8)];
  if (start === GIF) return gifFrames(view);
  if (start === RIFF && kind === WEBP) return webpFrames(view);
  if (start === TIFF_LITTLE || start === TIFF_BIG) return tiffPages(view, start === TIFF_LITTLE);
  if (start === BIGTIFF_LITTLE || start === BIGTIFF_BIG) return bigTiffPages(view, start === BIGTIFF_LITTLE);
  return [];
};

const [GIF, RIFF, WEBP, ANMF] = [0x47494638, 0x52494646, 0x57454250, 0x414e4d46];
const [TIFF_LITTLE, TIFF_BIG, BIGTIFF_LITTLE, BIGTIFF_BIG] = [0x49492a00, 0x4d4d002a, 0x49492b00, 0x4d4d002b];

function* gifFrames(view: DataView): Generator<void> {
  let at = 13 + coloursAfter(view, 10);
  for (;;) {
    const block = view.getUint8(at);
    if (block === 0x2c) {
      yield;
      // Its description, its colours and the size of its codes.
      at = skipBlocks(view, at + 11 + coloursAfter(view, at + 9));
    } else if (block === 0x21) at = skipBlocks(view, at + 2);
    else return;
  }
}

/** The bytes of the colour table that flags announce. */
const coloursAfter = (view: DataView, flags: number): number => {
  const given = view.getUint8(flags);
  return given & 0x80 ? 3 * 2 ** ((given & 7) + 1) : 0;
};

const skipBlocks = (view: DataView, start: number): number => {
  let at = start;
  for (let size = view.getUint8(at); size > 0; size = view.getUint8(at)) at += 1 + size;
  return at + 1;
};

function* webpFrames(view: DataView): Generator<void> {
  for (let at = 12; ; ) {
    if (view.getUint32(at) === ANMF) yield;
    const size = view.getUint32(at + 4, true);
    at += 8 + size + (size % 2);
  }
}

function* tiffPages(view: DataView, isLittle: boolean): Generator<void> {
  for (let at = view.getUint32(4, isLittle); at !== 0; ) {
    const entries = view.getUint16(at, isLittle);
    yield;
    at = view.getUint32(at + 2 + 12 * entries, isLittle);
  }
}

function* bigTiffPages(view: DataView, isLittle: boolean): Generator<void> {
  const offset = (at: number): number => Number(view.getBigUint64(at, isLittle));
  for (let at = offset(8); at !== 0; ) {
    const entries = offset(at);
    yield;
    at = offset(at + 8 + 20 * entries);
  }
}
