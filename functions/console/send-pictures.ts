import type { Pictures, Send } from './client.ts';
import { ApiFault } from './fault.ts';

/** A request takes 4 MB; what is larger goes through an upload of its own. */
const MOST_IN_A_REQUEST = 3_900_000;

interface Upload {
  readonly key: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends pictures as a form, or uploads them first when they are too large for one. */
export const sendPictures = async (
  send: Send,
  path: string,
  { image, reference, tools }: Pictures,
  signal?: AbortSignal,
): Promise<Response> => {
  if (image.size + (reference?.size ?? 0) > MOST_IN_A_REQUEST) {
    const json = {
      image: { key: await upload(send, image) },
      ...(reference === undefined ? {} : { reference: { key: await upload(send, reference) } }),
      ...(tools === undefined ? {} : { tools }),
    };
    return send(path, { json, signal });
  }
  const form = new FormData();
  form.set('image', image);
  if (reference) form.set('reference', reference);
  if (tools) form.set('tools', tools.join(','));
  return send(path, { form, signal });
};

const upload = async (send: Send, file: File): Promise<string> => {
  const answer = await send('/v1/uploads', { json: { content_type: file.type, size: file.size } });
  const { key, url, headers } = (await answer.json()) as Upload;
  const put = await fetch(url, { method: 'PUT', headers, body: file }).catch(() => undefined);
  if (put?.ok) return key;
  throw new ApiFault('Unavailable', `${file.name} could not be uploaded (${put?.status ?? 'no connection'})`);
};
