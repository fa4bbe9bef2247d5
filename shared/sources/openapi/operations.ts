import { messageOf } from '../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { UpstreamProblem } from '../upstream.ts';
import { followReference, type OpenApiDocument, unusable } from './document.ts';

export type Place = 'path' | 'query' | 'header' | 'cookie';

export interface Parameter {
  readonly name: string;
  readonly in: Place;
  readonly isRequired: boolean;
  readonly description?: string | undefined;
  readonly schema: unknown;
  /** The content type of a parameter that is encoded as a document instead of by a style. */
  readonly contentType?: string | undefined;
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved: boolean;
}

export interface Body {
  readonly isRequired: boolean;
  readonly description?: string | undefined;
  readonly contentType: string;
  readonly schema: unknown;
  /** How single form fields are encoded. */
  readonly encoding: JsonObject;
}

export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body?: Body | undefined;
  /** The content types of successful answers, where the document lists others besides JSON. */
  readonly answers: readonly string[];
  /** The base address of its path, on the source's own host. */
  readonly base: URL;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'query'] as const;
const MAX_OPERATIONS = 10_000;

/** The operations of a document; one that cannot be called is reported as a problem. */
export const listOperations = (
  document: OpenApiDocument,
  url: URL,
): { readonly operations: readonly Operation[]; readonly problems: readonly UpstreamProblem[] } => {
  const operations = new Map<string, Operation>();
  const problems: UpstreamProblem[] = [];
  for (const [path, given] of Object.entries(document.root.paths as JsonObject))
    for (const found of operationsOf(document, path, given)) {
      try {
        if ('reason' in found) throw new Error(found.reason);
        if (operations.has(found.name)) throw new Error('another operation has the same operationId');
        operations.set(found.name, readOperation(document, url, found));
      } catch (error) {
        problems.push({
          tool: found.name,
          reason: `${found.method.toUpperCase()} ${path}: ${messageOf(error)}`.trim().slice(0, 500),
        });
      }
      if (operations.size > MAX_OPERATIONS) throw unusable(`it has more than ${MAX_OPERATIONS} operations`);
    }
  return { operations: [...operations.values()], problems };
};

/** The operations of one path, or why it cannot be read. */
const operationsOf = (
  document: OpenApiDocument,
  path: string,
  given: unknown,
): readonly (Found | { readonly name: string; readonly method: string; readonly reason: string })[] => {
  try {
    const item = followReference(document, given);
    return METHODS.filter((method) => item[method] !== undefined).map((method) => ({
      path,
      method,
      item,
      name: chooseName(item[method], method, path),
    }));
  } catch (error) {
    return [{ name: path, method: '', reason: messageOf(error) }];
  }
};

const chooseName = (operation: unknown, method: string, path: string): string => {
  const given = isObject(operation) && typeof operation.operationId === 'string' ? operation.operationId.trim() : '';
  if (given !== '') return given;
  const words = path
    .replace(/[{}]/g, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return `${method}_${words || 'root'}`;
};

interface Found {
  readonly path: string;
  readonly method: string;
  readonly name: string;
  readonly item: JsonObject;
}

const readOperation = (document: OpenApiDocument, url: URL, { path, method, item, name }: Found): Operation => {
  const operation = followReference(document, item[method]);
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' && value.trim() ? value.trim() : undefined;
  const title = text(operation.summary) ?? text(item.summary);
  const parameters = readParameters(document, item, operation);
  for (const [, variable = ''] of path.matchAll(/\{([^{}]*)\}/g))
    if (!parameters.some((each) => each.in === 'path' && each.name === variable))
      throw new Error(`its path has {${variable}}, and no parameter says what that is`);
  const body = operation.requestBody === undefined ? undefined : readBody(document, operation.requestBody);
  if (body && (method === 'get' || method === 'head')) throw new Error(`a ${method.toUpperCase()} request has no body`);
  return {
    name,
    method: method.toUpperCase(),
    path,
    title,
    description: [title, text(operation.description) ?? text(item.description)].filter(Boolean).join('\n\n'),
    parameters,
    body,
    answers: readAnswers(document, operation.responses),
    base: baseOf([operation.servers, item.servers, document.root.servers], url),
  };
};

/** Sent as Accept, because some servers refuse clients that do not accept all types they may answer with. */
const readAnswers = (document: OpenApiDocument, responses: unknown): readonly string[] => {
  const good = Object.entries(isObject(responses) ? responses : {}).filter(([status]) => /^2/.test(status));
  const types = good.flatMap(([, given]) => typesOf(document, given)).filter((type) => PLAIN_TYPE.test(type));
  return types.includes(JSON_TYPE) ? [...new Set(types)].filter((type) => type !== JSON_TYPE).slice(0, 8) : [];
};

const JSON_TYPE = 'application/json';
const PLAIN_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/;

/** An unreadable answer does not prevent the operation from being called. */
const typesOf = (document: OpenApiDocument, answer: unknown): readonly string[] => {
  try {
    const { content } = followReference(document, answer);
    return Object.keys(isObject(content) ? content : {});
  } catch {
    return [];
  }
};

/** The first of the most specific servers; it must be on the source's own host. */
const baseOf = (lists: readonly unknown[], url: URL): URL => {
  const servers = lists.find((list) => Array.isArray(list) && list.length > 0) as readonly unknown[] | undefined;
  const bases = (servers ?? [{ url: '/' }]).flatMap((server) => {
    const base = isObject(server) && typeof server.url === 'string' ? URL.parse(withVariables(server), url) : null;
    return base ? [base] : [];
  });
  const own = bases.find(({ origin }) => origin === url.origin);
  if (own) return own;
  const named = bases[0]?.origin.slice(0, 120) ?? 'no address';
  throw new Error(
    `its server is ${named}, which is not the source's own (${url.origin}); give the source that address`,
  );
};

const withVariables = ({ url, variables }: JsonObject): string =>
  String(url).replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = isObject(variables) ? variables[name] : undefined;
    return isObject(variable) && variable.default !== undefined ? String(variable.default) : whole;
  });

/** The operation's parameters, and those of its path that it does not override. */
const readParameters = (document: OpenApiDocument, item: JsonObject, operation: JsonObject): readonly Parameter[] => {
  const found = new Map<string, Parameter>();
  for (const list of [item.parameters, operation.parameters])
    for (const given of Array.isArray(list) ? list : []) {
      const parameter = readParameter(followReference(document, given));
      if (parameter) found.set(`${parameter.in} ${parameter.name}`, parameter);
    }
  return [...found.values()];
};

/** Headers that the specification says to ignore, and those of the connection. */
const NOT_PARAMETERS =
  /^(accept|content-type|authorization|host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/i;
const STYLES: Readonly<Record<Place, readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
};

const readParameter = (given: JsonObject): Parameter | undefined => {
  const { name, in: place } = given;
  if (typeof name !== 'string' || typeof place !== 'string' || !Object.hasOwn(STYLES, place))
    throw new Error(`it has a parameter in ${JSON.stringify(place ?? null)}, which is not known`);
  if (place === 'header' && NOT_PARAMETERS.test(name)) return undefined;
  const at = place as Place;
  const [contentType, content] = isObject(given.content) ? (Object.entries(given.content)[0] ?? []) : [];
  const style = typeof given.style === 'string' ? given.style : (STYLES[at][0] ?? 'form');
  if (!STYLES[at].includes(style)) throw new Error(`its parameter ${name} has the style ${style}, which ${at} has not`);
  return {
    name,
    in: at,
    isRequired: at === 'path' || given.required === true,
    description: typeof given.description === 'string' ? given.description : undefined,
    schema: (isObject(content) ? content.schema : given.schema) ?? {},
    contentType,
    style,
    explode: typeof given.explode === 'boolean' ? given.explode : style === 'form' || style === 'deepObject',
    allowReserved: given.allowReserved === true,
  };
};

/** The content types of a body, best first. */
const BODIES = [
  /^application\/json\b/i,
  /\+json\b/i,
  /^application\/x-www-form-urlencoded\b/i,
  /^multipart\/form-data\b/i,
];

const readBody = (document: OpenApiDocument, given: unknown): Body | undefined => {
  const body = followReference(document, given);
  const content = isObject(body.content) ? Object.entries(body.content) : [];
  const chosen = [...BODIES, /./].flatMap((type) => content.find(([name]) => type.test(name)) ?? []);
  const [contentType, media] = [chosen[0], chosen[1]];
  if (typeof contentType !== 'string') return undefined;
  return {
    isRequired: body.required === true,
    description: typeof body.description === 'string' ? body.description : undefined,
    // A range such as */* names no type.
    contentType: contentType.includes('*') ? 'application/octet-stream' : contentType,
    schema: (isObject(media) ? media.schema : undefined) ?? {},
    encoding: isObject(media) && isObject(media.encoding) ? media.encoding : {},
  };
};
