import type { SerializedAnswer } from '../../shared/registry/entry.ts';
import { httpAnswer, type LookupAnswer } from '../../shared/registry/lookup/answer.ts';
import type { ApiContext } from './env.ts';
import { quotaHeaders } from './quota-headers.ts';
import { headerOf, stateOf } from './request-state.ts';
import { wholeResponse } from './whole-response.ts';

/**
 * Responses are built with plain headers, because setting headers on Hono's context costs more than finding the tool.
 * They include the request id themselves.
 */
const identify = (c: ApiContext, headers: Record<string, string>): Record<string, string> => {
  const state = stateOf(c);
  state.isIdentified = true;
  headers['x-request-id'] = state.requestId;
  headers['x-content-type-options'] = 'nosniff';
  return headers;
};

/** Sends a prepared text, or 304 when the caller has it already. */
export const answerPrepared = (c: ApiContext, made: SerializedAnswer | LookupAnswer): Response => {
  const { status, body, headers } = httpAnswer(made, headerOf(c, 'if-none-match'));
  return wholeResponse(c.req.raw, body, status, identify(c, headers));
};

/** Sends a value as JSON; no body for 204 and 304. */
export const answerJson = (c: ApiContext, value: unknown, status = 200): Response => {
  const quota = quotaHeaders(stateOf(c).remaining);
  if (status === 204) return new Response(null, { status, headers: identify(c, { ...quota }) });
  return wholeResponse(
    c.req.raw,
    JSON.stringify(value),
    status,
    identify(c, { 'content-type': 'application/json', ...quota }),
  );
};

/** Sends bytes, or text of another type, such as a picture or CSV. */
export const answerBytes = (
  c: ApiContext,
  body: BodyInit,
  type: string,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(body, {
    headers: identify(c, { 'content-type': type, ...headers, ...quotaHeaders(stateOf(c).remaining) }),
  });
