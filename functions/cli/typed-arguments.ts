import { extname } from 'node:path';
import { isObject } from '../../shared/kernel/json.ts';
import type { Registration } from '../../shared/model/registration.ts';
import type { ApiClient } from './client.ts';
import { UsageError } from './command.ts';
import { isFile, pictureArgument, takesPicture } from './picture-files.ts';
import { readNamed } from './read-file.ts';

type Properties = Readonly<Record<string, unknown>>;

/** The schemas of a tool's parameters, by name. */
export const fetchProperties = async (
  api: ApiClient,
  tool: string,
  version: string | undefined,
): Promise<Properties> => {
  const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`;
  const { spec } = await api.json<Registration>('GET', `/v1/tools/${encodeURIComponent(tool)}${query}`);
  return isObject(spec.parameters.properties) ? spec.parameters.properties : {};
};

/**
 * Parses arguments typed as `name=value`: text where the parameter accepts text, otherwise JSON. `@file` always reads a
 * file; for a picture, a plain name is a file if it exists, otherwise the key of an uploaded picture.
 */
export const typedArguments = async (
  api: ApiClient,
  properties: Properties,
  pairs: readonly string[],
): Promise<Properties> => {
  const entries: [string, unknown][] = [];
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`${JSON.stringify(pair)} is not of the form name=value`);
    const name = pair.slice(0, at);
    entries.push([name, await typedValue(api, properties[name], pair.slice(at + 1))]);
  }
  return Object.fromEntries(entries);
};

const FORMATS: Properties = { jpg: 'jpeg', tif: 'tiff' };

/** The format of a file name's extension, if the tool has a format parameter. */
export const formatByName = ({ format }: Properties, file: string): { readonly format?: string } => {
  const extension = extname(file).slice(1).toLowerCase();
  const asked = FORMATS[extension] ?? extension;
  const choices = isObject(format) && Array.isArray(format.enum) ? format.enum : [];
  return choices.includes(asked) ? { format: asked as string } : {};
};

const typedValue = async (api: ApiClient, schema: unknown, text: string): Promise<unknown> => {
  const isText = isObject(schema) && schema.type === 'string';
  const file = text.startsWith('@') ? text.slice(1) : undefined;
  if (takesPicture(schema)) {
    if (file !== undefined) return pictureArgument(api, file);
    const parsed = parseValue(text);
    if (isObject(parsed)) return parsed;
    return (await isFile(text)) ? pictureArgument(api, text) : { key: text };
  }
  if (file === undefined) return isText ? text : parseValue(text);
  const content = await readText(file);
  return isText ? content : parseValue(content);
};

/** Parses JSON; anything else is text. */
export const parseValue = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const readText = async (file: string): Promise<string> => (await readNamed(file)).toString('utf8');
