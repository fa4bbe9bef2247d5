import type { NewUpload } from '../../shared/uploads/upload.ts';
import type { PicturesSent } from '../api/pictures.ts';
import type { Score, ScoreLine, Scores } from './answers.ts';
import { type Api, readJson } from './api.ts';
import { ApiFault, apiFault } from './fault.ts';
import { showBytes } from './format.ts';
import { readLines } from './read-lines.ts';

/** The server's limit, checked before a hundred megabytes are sent in vain. */
const MOST_BYTES = 100 * 1024 * 1024;
const UPLOADABLE = /^image\/(jpeg|png|webp|avif|tiff|gif|bmp|x-portable-pixmap|x-portable-graymap)$/;
/** A request may have 4 MB; larger pictures are uploaded first. */
const MOST_IN_A_REQUEST = 3_900_000;

export interface Pictures {
  readonly image: File;
  readonly reference?: File | undefined;
  readonly tools?: readonly string[] | undefined;
}

export interface ScoreOptions {
  readonly signal?: AbortSignal;
  /** Called with each score when it is computed. */
  readonly onScore?: (score: Score) => void;
}

/** Sends pictures in a form, or, if they are too large, by the keys of their uploads; each is uploaded once. */
export const pictureSender = ({ v1 }: Api) => {
  const uploaded = new WeakMap<File, Promise<string>>();

  const upload = async (file: File): Promise<string> => {
    if (file.size > MOST_BYTES)
      throw new ApiFault('TooLarge', `${file.name} has ${showBytes(file.size)}; the limit is ${showBytes(MOST_BYTES)}`);
    if (!UPLOADABLE.test(file.type))
      throw new ApiFault(
        'InvalidInput',
        `${file.name} is not a picture that can be uploaded; use JPEG, PNG, WebP, AVIF, TIFF or GIF`,
      );
    // Not scored on arrival: it is scored by its key, with the selected tools and reference.
    const wish = { content_type: file.type as NewUpload['content_type'], size: file.size, score: false };
    const { key, url, headers } = await readJson(v1.uploads.$post({ json: wish }));
    const put = await fetch(url, { method: 'PUT', headers, body: file }).catch(() => undefined);
    if (put?.ok) return key;
    throw new ApiFault('Unavailable', `${file.name} could not be uploaded (${put?.status ?? 'no connection'})`);
  };

  const uploadedKey = async (file: File): Promise<{ key: string }> => {
    const known = uploaded.get(file) ?? upload(file);
    uploaded.set(file, known);
    known.catch(() => uploaded.delete(file));
    return { key: await known };
  };

  const sent = async ({ image, reference, tools }: Pictures): Promise<PicturesSent> => {
    if (image.size + (reference?.size ?? 0) <= MOST_IN_A_REQUEST)
      return { form: { image, reference, tools: tools?.join(',') } };
    return { json: { image: await uploadedKey(image), reference: reference && (await uploadedKey(reference)), tools } };
  };

  /** Replaces the key of an uploaded picture by its file name in results and errors. */
  const withNames = async <T>({ image, reference }: Pictures, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      const { code, message, details, requestId } = apiFault(thrown);
      let told = message;
      for (const file of [image, reference]) {
        const key = file && (await uploaded.get(file)?.catch(() => undefined));
        if (file && key !== undefined) told = told.replaceAll(key, file.name);
      }
      throw new ApiFault(code, told, details, requestId);
    }
  };

  return {
    score: (pictures: Pictures, { signal, onScore }: ScoreOptions = {}): Promise<Scores> =>
      withNames(pictures, async () => {
        const response: Response = await v1.score.$post(await sent(pictures), {
          headers: { accept: 'application/x-ndjson' },
          init: { signal },
        });
        for await (const line of readLines<ScoreLine>(response)) {
          if (!('score' in line)) return line;
          onScore?.(line.score);
        }
        throw new ApiFault('Offline', 'the connection was lost before the last score came');
      }),
    map: (pictures: Pictures): Promise<Blob> =>
      withNames(pictures, async () =>
        (await v1.score.map.$post({ ...(await sent(pictures)), query: { tool: 'vsi' } })).blob(),
      ),
  };
};
