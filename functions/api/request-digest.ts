import { canonicalJson, sha256 } from '../../shared/kernel/canonical-json.ts';
import { readBytes } from './body-bytes.ts';
import type { ApiContext } from './env.ts';
import { parseForm } from './parse-form.ts';
import { headerOf } from './request-state.ts';

/** Identifies a request, whatever host it came through: by method, path, query and body. */
export const digestOfRequest = async (c: ApiContext): Promise<string> => {
  const { pathname, search } = new URL(c.req.url);
  return sha256(`${c.req.method}\n${pathname}${search}\n${await digestOfBody(c)}`);
};

/** The digest of version 1 of a stored answer, which includes the whole address. */
export const digestWithHost = async (c: ApiContext): Promise<string> =>
  sha256(Buffer.concat([Buffer.from(`${c.req.method}\n${c.req.url}\n`), await readBytes(c)]));

// Clients use a new boundary for every try, so a form is identified by its parts; an invalid form by its bytes.
const digestOfBody = async (c: ApiContext): Promise<string> => {
  const bytes = await readBytes(c);
  const type = headerOf(c, 'content-type') ?? '';
  const form = await parseForm(bytes, type);
  if (form === undefined) return sha256(bytes);
  const parts = await Promise.all(
    [...form].map(async ([name, value]) =>
      typeof value === 'string'
        ? [name, value]
        : [name, value.name, value.type, sha256(new Uint8Array(await value.arrayBuffer()))],
    ),
  );
  return sha256(canonicalJson(parts));
};
