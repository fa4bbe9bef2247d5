import { Fault } from '../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { encodeQuery, toText } from './encode-style.ts';
import { kindOfBody } from './inputs.ts';
import type { Body } from './operations.ts';

export interface EncodedBody {
  /** Absent where the content determines it, as a multipart form does with its boundary. */
  readonly contentType?: string | undefined;
  readonly content: string | Uint8Array<ArrayBuffer> | FormData;
}

/** Encodes a body by its content type. */
export const encodeBody = (body: Body, value: unknown, binary: ReadonlySet<string>): EncodedBody => {
  const { contentType } = body;
  switch (kindOfBody(body)) {
    case 'json':
      return { contentType, content: JSON.stringify(value) };
    case 'form':
      return { contentType, content: formText(body, requireFields(value)) };
    case 'multipart':
      return { content: formParts(body, requireFields(value), binary) };
    case 'text':
      return { contentType, content: toText(value) };
    case 'bytes':
      return { contentType, content: decodeBytes(value, 'the body') };
  }
};

const requireFields = (value: unknown): JsonObject => {
  if (isObject(value)) return value;
  throw new Fault('InvalidInput', 'a form body must be an object', { field: 'body' });
};

interface Encoding {
  readonly contentType?: string | undefined;
  readonly style?: string | undefined;
  readonly explode?: boolean | undefined;
  readonly allowReserved?: boolean | undefined;
}

const chooseEncoding = ({ encoding }: Body, name: string): Encoding =>
  Object.hasOwn(encoding, name) && isObject(encoding[name]) ? (encoding[name] as Encoding) : {};

const formText = (body: Body, fields: JsonObject): string =>
  Object.entries(fields)
    .flatMap(([name, value]) => {
      const { style, explode, allowReserved } = chooseEncoding(body, name);
      const isStyled = style !== undefined || explode !== undefined || allowReserved !== undefined;
      // Without a style, an object is sent as JSON, and a list as one pair per item.
      const given = isStyled || Array.isArray(value) ? value : toText(value);
      const form = style ?? 'form';
      return encodeQuery(name, given, {
        style: form,
        explode: explode ?? form === 'form',
        allowReserved: allowReserved === true,
      });
    })
    .join('&');

const formParts = (body: Body, fields: JsonObject, binary: ReadonlySet<string>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    const { contentType } = chooseEncoding(body, name);
    const type = contentType?.split(',')[0]?.trim();
    for (const item of Array.isArray(value) ? value : [value]) {
      if (binary.has(name)) form.append(name, new Blob([decodeBytes(item, name)], { type: concrete(type) }), name);
      else if (isObject(item) || Array.isArray(item))
        form.append(name, new Blob([JSON.stringify(item)], { type: concrete(type) ?? 'application/json' }));
      else if (concrete(type) === undefined) form.append(name, toText(item));
      else form.append(name, new Blob([toText(item)], { type: concrete(type) }));
    }
  }
  return form;
};

const concrete = (type: string | undefined): string | undefined => (type?.includes('*') ? undefined : type);

const decodeBytes = (value: unknown, field: string): Uint8Array<ArrayBuffer> => {
  const text = typeof value === 'string' ? value.replace(/\s+/g, '') : undefined;
  if (text === undefined || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(text))
    throw new Fault('InvalidInput', `${field} is sent as bytes and must be given as base64`, { field });
  return new Uint8Array(Buffer.from(text, 'base64'));
};
