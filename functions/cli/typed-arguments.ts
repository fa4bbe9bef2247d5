import { isObject } from '../../shared/kernel/json.ts';
import type { Registration } from '../../shared/model/registration.ts';
import type { ApiClient } from './client.ts';
import { UsageError } from './command.ts';
import { isFile, pictureArgument, takesPicture } from './picture-files.ts';
import { readNamed } from './read-file.ts';

/**
 * Arguments typed as `name=value`: a text where the parameter takes one, else JSON. `@file` is always a file; where a
 * picture is taken, a bare name is a file if there is one, else the key of an uploaded picture.
 */
export const typedArguments = async (
  api: ApiClient,
  tool: string,
  version: string | undefined,
  pairs: readonly string[],
): Promise<Readonly<Record<string, unknown>>> => {
  if (pairs.length === 0) return {};
  const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`;
  const { spec } = await api.json<Registration>('GET', `/v1/tools/${encodeURIComponent(tool)}${query}`);
  const properties = isObject(spec.parameters.properties) ? spec.parameters.properties : {};
  const entries: [string, unknown][] = [];
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`${JSON.stringify(pair)} is not of the form name=value`);
    const name = pair.slice(0, at);
    entries.push([name, await typedValue(api, properties[name], pair.slice(at + 1))]);
  }
  return Object.fromEntries(entries);
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

/** JSON where it is some, else the text itself. */
export const parseValue = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const readText = async (file: string): Promise<string> => (await readNamed(file)).toString('utf8');
