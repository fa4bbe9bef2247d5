import { Fault } from '../../shared/kernel/errors.ts';

/** A signed request to AWS. */
export type SignedFetch = (url: string, init?: RequestInit) => Promise<Response>;

interface Options {
  readonly fetch: SignedFetch;
  readonly id: string;
  readonly endpoint?: string;
}

const HEADER = /(<HeaderName>x-assay-origin<\/HeaderName>\s*<HeaderValue>)[^<]*(<\/HeaderValue>)/gi;

/** Changes only the secret header in a distribution's configuration. */
export const sendHeader =
  ({ fetch, id, endpoint = 'https://cloudfront.amazonaws.com' }: Options) =>
  async (text: string): Promise<void> => {
    const url = `${endpoint}/2020-05-31/distribution/${id}/config`;
    const read = await fetch(url);
    const before = await readText(read, `reading distribution ${id}`);
    if (before.match(HEADER) === null) throw new Fault('NotFound', `distribution ${id} sends no secret header`);
    const after = before.replaceAll(HEADER, (_, start: string, end: string) => `${start}${text}${end}`);
    if (after === before) return;
    const headers = { 'if-match': read.headers.get('etag') ?? '', 'content-type': 'application/xml' };
    await readText(await fetch(url, { method: 'PUT', headers, body: after }), `changing distribution ${id}`);
  };

const readText = async (response: Response, what: string): Promise<string> => {
  const text = await response.text();
  if (response.ok) return text;
  throw new Fault('Unavailable', `${what} gave ${response.status}: ${text.slice(0, 300)}`);
};
