import { Fault } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { currentTraceparent } from '../../kernel/trace.ts';
import { encodeBody } from './encode-body.ts';
import { encodeQuery, encodeValue, escapeText } from './encode-style.ts';
import type { Inputs } from './inputs.ts';
import type { Operation, Parameter } from './operations.ts';

/** A request to an upstream. */
export interface UpstreamRequest {
  readonly url: URL;
  readonly init: RequestInit;
}

/** Builds an operation's request from arguments, encoded as the document says. */
export const buildRequest = (
  operation: Operation,
  inputs: Inputs,
  args: JsonObject,
  extra: { readonly headers: Readonly<Record<string, string>>; readonly query: Readonly<Record<string, string>> },
): UpstreamRequest => {
  const accept = ['application/json', ...operation.answers.map((type) => `${type};q=0.9`), '*/*;q=0.8'];
  const headers = new Headers({ accept: accept.join(', ') });
  const traceparent = currentTraceparent();
  if (traceparent !== undefined) headers.set('traceparent', traceparent);
  const query: string[] = [];
  const cookies: string[] = [];
  let path = operation.path;
  for (const { argument, parameter } of inputs.slots) {
    const value = Object.hasOwn(args, argument) ? args[argument] : undefined;
    if (value === undefined) continue;
    if (parameter.in === 'path') path = path.replaceAll(`{${parameter.name}}`, pathValue(argument, parameter, value));
    else if (parameter.in === 'query') query.push(...queryPairs(parameter, value));
    else if (parameter.in === 'cookie') cookies.push(`${parameter.name}=${written(parameter, value, escapeText)}`);
    else
      headers.set(
        parameter.name,
        headerValue(
          argument,
          written(parameter, value, (text) => text),
        ),
      );
  }
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '));
  const body = buildBody(operation, inputs, args);
  if (body?.contentType !== undefined) headers.set('content-type', body.contentType);
  // The source's own headers come last, so that no argument replaces its credentials.
  for (const [name, value] of Object.entries(extra.headers)) headers.set(name, value);
  for (const [name, value] of Object.entries(extra.query)) query.push(`${escapeText(name)}=${escapeText(value)}`);
  return {
    url: addressOf(operation, path, query),
    init: { method: operation.method, headers, body: body?.content ?? null },
  };
};

const buildBody = (operation: Operation, { body: argument, slots, binary }: Inputs, args: JsonObject) => {
  if (!operation.body || argument === undefined) return undefined;
  const names = new Set(slots.map((slot) => slot.argument));
  const value =
    argument === null
      ? Object.fromEntries(Object.entries(args).filter(([name]) => !names.has(name)))
      : Object.hasOwn(args, argument)
        ? args[argument]
        : undefined;
  return value === undefined ? undefined : encodeBody(operation.body, value, binary);
};

const written = (parameter: Parameter, value: unknown, encode: (text: string) => string): string =>
  parameter.contentType === undefined
    ? encodeValue(parameter.name, value, parameter, encode)
    : encode(asContent(parameter.contentType, value));

const queryPairs = (parameter: Parameter, value: unknown): readonly string[] =>
  parameter.contentType === undefined
    ? encodeQuery(parameter.name, value, parameter)
    : [`${escapeText(parameter.name)}=${escapeText(asContent(parameter.contentType, value))}`];

const asContent = (type: string, value: unknown): string =>
  /json/i.test(type) || typeof value !== 'string' ? JSON.stringify(value) : value;

const pathValue = (argument: string, parameter: Parameter, value: unknown): string => {
  const text = written(parameter, value, escapeText);
  const isEmpty = value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
  if (isEmpty)
    throw new Fault('InvalidInput', `${argument} is part of the path and must not be empty`, { field: argument });
  return text;
};

// A line break would start another header.
const headerValue = (argument: string, text: string): string => {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text;
  throw new Fault('InvalidInput', `${argument} is sent as a header, which cannot hold all of its characters`, {
    field: argument,
  });
};

const addressOf = ({ base, name }: Operation, path: string, query: readonly string[]): URL => {
  const [fixed = '', search] = path.split(/\?(.*)/s);
  // A segment of dots would change the path to another operation's.
  if (fixed.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    throw new Fault(
      'InvalidInput',
      `an argument of ${name} would lead out of its path; "." and ".." cannot be sent there`,
    );
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/$/, '')}${fixed.startsWith('/') ? '' : '/'}${fixed}`;
  url.search = [search, ...query].filter(Boolean).join('&');
  url.hash = '';
  return url;
};
