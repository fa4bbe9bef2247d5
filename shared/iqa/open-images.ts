import { sha256 } from '../kernel/canonical-json.ts';
import { sha256InSlices } from '../kernel/digest-slices.ts';
import { Fault } from '../kernel/errors.ts';
import type { IqaEngine, Picture } from './engine.ts';
import { NO_REFERENCE } from './score-cache.ts';

/** An encoded picture, and its name for errors and logs. */
export interface ImageFile {
  readonly bytes: Uint8Array;
  readonly name?: string | undefined;
  /** Its key, if it is in the image store. */
  readonly key?: string | undefined;
  /** The digest of its bytes, if it is known already. */
  readonly sha256?: string | undefined;
}

export type DigestedImage = ImageFile & { readonly sha256: string };

/** Adds the digest to a picture, so that it is hashed once. */
export const digestImage = async (image: ImageFile): Promise<DigestedImage> => ({
  ...image,
  sha256: image.sha256 ?? (await sha256InSlices(image.bytes)),
});

export interface Pictures {
  readonly picture: Picture;
  readonly reference?: Picture;
}

/** The pictures of one request, decoded once, when a tool first needs them. */
export interface OpenImages {
  readonly name: string;
  readonly imageSha256: string;
  /** The digest of the empty string if there is no reference. */
  readonly referenceSha256: string;
  readonly hasReference: boolean;
  decode(): Promise<Pictures>;
  /** Releases the memory of the decoded pictures, which must not be used any more. */
  close(): void;
}

/** Up to this size both files are decoded at once; larger ones one after the other, to save memory. */
const PARALLEL_BYTES = 8 * 2 ** 20;

export const openImages = (
  engine: IqaEngine,
  image: ImageFile,
  reference: ImageFile | undefined,
  signal: AbortSignal | undefined,
  tenant = 'default',
): OpenImages => {
  const name = image.name ?? 'the picture';
  const opened: Picture[] = [];
  const open = async (bytes: Uint8Array, called: string): Promise<Picture> => {
    const picture = await engine.decode(bytes, called, signal);
    opened.push(picture);
    return picture;
  };
  let releaseMemory = (): void => {};
  const decodeBoth = async (): Promise<Pictures> => {
    const files = [image, ...(reference ? [reference] : [])];
    const named = files.map((file, at) => ({
      bytes: file.bytes,
      name: file.name ?? (at === 0 ? name : 'the reference'),
    }));
    releaseMemory = await engine.reserve(named, tenant, signal);
    if (!reference) return { picture: await open(image.bytes, name) };
    const openReference = () => open(reference.bytes, reference.name ?? 'the reference');
    const isLarge = image.bytes.length + reference.bytes.length > PARALLEL_BYTES;
    const first = open(image.bytes, name);
    if (isLarge) await first;
    // Both are awaited even when one fails, so that both can be released.
    const [one, two] = await Promise.allSettled([first, openReference()]);
    const [picture, other] = [valueFrom(one), valueFrom(two)];
    requireSameSize(picture, other);
    return { picture, reference: other };
  };
  let decoded: Promise<Pictures> | undefined;
  return {
    name,
    get imageSha256() {
      return image.sha256 ?? sha256(image.bytes);
    },
    get referenceSha256() {
      return reference ? (reference.sha256 ?? sha256(reference.bytes)) : NO_REFERENCE;
    },
    hasReference: reference !== undefined,
    decode: () => {
      decoded ??= decodeBoth();
      return decoded;
    },
    close() {
      const release = (): void => {
        opened.forEach(engine.release);
        releaseMemory();
      };
      decoded?.then(release, release);
    },
  };
};

const requireSameSize = (picture: Picture, reference: Picture): void => {
  const [size, other] = [picture, reference].map(({ pixels }) => `${pixels.width} x ${pixels.height}`);
  if (size === other) return;
  throw new Fault(
    'InvalidInput',
    `${picture.name} has ${size} pixels, its reference ${reference.name} ${other}; scale one to the size of the other`,
    { image: picture.name, field: 'reference' },
  );
};

const valueFrom = <Value>(settled: PromiseSettledResult<Value>): Value => {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
};
