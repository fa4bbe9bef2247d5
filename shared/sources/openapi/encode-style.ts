import { isObject } from '../../kernel/json.ts';

export interface Style {
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved: boolean;
}

type Encode = (text: string) => string;

/** Encodes a path, header or cookie parameter by its style. */
export const encodeValue = (name: string, value: unknown, { style, explode }: Style, encode: Encode): string => {
  const write = (each: unknown): string => encode(toText(each));
  const pairs = isObject(value)
    ? Object.entries(value).map(([key, each]): readonly [string, string] => [encode(key), write(each)])
    : undefined;
  const items = Array.isArray(value) ? value.map(write) : undefined;
  const flat = pairs && (explode ? pairs.map((pair) => pair.join('=')) : pairs.flat());
  const list = flat ?? items;
  const key = encode(name);
  switch (style) {
    case 'label':
      return list ? `.${list.join(explode ? '.' : ',')}` : `.${write(value)}`;
    case 'matrix':
      if (pairs && explode) return pairs.map((pair) => `;${pair.join('=')}`).join('');
      if (items && explode) return items.map((item) => `;${key}=${item}`).join('');
      return `;${key}=${list ? list.join(',') : write(value)}`;
    default:
      return list ? list.join(',') : write(value);
  }
};

/** The pairs of a query or form, encoded by the style. */
export const encodeQuery = (name: string, value: unknown, style: Style): readonly string[] => {
  const encode = style.allowReserved ? escapeLoosely : escapeText;
  const key = escapeText(name);
  const write = (each: unknown): string => encode(toText(each));
  if (style.style === 'deepObject' && isObject(value)) return deepPairs(key, value, write);
  if (Array.isArray(value)) {
    if (style.explode) return value.map((each) => `${key}=${write(each)}`);
    const between = { spaceDelimited: '%20', pipeDelimited: '%7C' }[style.style] ?? ',';
    return [`${key}=${value.map(write).join(between)}`];
  }
  if (isObject(value)) {
    const pairs = Object.entries(value).map(([field, each]) => [escapeText(field), write(each)]);
    if (style.explode) return pairs.map((pair) => pair.join('='));
    const between = { spaceDelimited: '%20', pipeDelimited: '%7C' }[style.style] ?? ',';
    return [`${key}=${pairs.flat().join(between)}`];
  }
  return [`${key}=${write(value)}`];
};

const deepPairs = (key: string, value: object, write: (each: unknown) => string): readonly string[] =>
  Object.entries(value).flatMap(([field, each]: readonly [string, unknown]) => {
    const inner = `${key}%5B${escapeText(field)}%5D`;
    if (isObject(each)) return deepPairs(inner, each, write);
    return Array.isArray(each) ? each.map((item) => `${inner}=${write(item)}`) : [`${inner}=${write(each)}`];
  });

/** No style defines nested lists, so they are sent as JSON. */
export const toText = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

export const escapeText: Encode = (text) =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Keeps reserved characters, except those that would end or split the value. */
const escapeLoosely: Encode = (text) =>
  escapeText(text).replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B|3D|5B|5D)/g, (code) => decodeURIComponent(code));
