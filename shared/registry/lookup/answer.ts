import { computeEtag, type SerializedAnswer } from '../entry.ts';

/** A lookup's response: a body serialised once, and what its headers say. */
export interface LookupAnswer extends SerializedAnswer {
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
}

const JSON_TYPE = 'application/json';

export const jsonAnswer = (body: string, headers: Readonly<Record<string, string>> = {}): LookupAnswer => ({
  body,
  etag: computeEtag(body),
  type: JSON_TYPE,
  headers,
});

export const textAnswer = (body: string, headers: Readonly<Record<string, string>> = {}): LookupAnswer => ({
  body,
  etag: computeEtag(body),
  type: 'text/plain; charset=utf-8',
  headers,
});

/** Whether `If-None-Match` matches; intermediaries may have made the tag weak. */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean => {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag) return true;
  return ifNoneMatch.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
};

export interface Response304 {
  readonly status: 200 | 304;
  readonly body: string | null;
  readonly headers: Record<string, string>;
}

/** The HTTP response: the body, or 304 when the caller has it already. */
export const httpAnswer = (
  answer: SerializedAnswer & Partial<LookupAnswer>,
  ifNoneMatch: string | undefined,
): Response304 => {
  const headers: Record<string, string> = {
    'content-type': answer.type ?? JSON_TYPE,
    etag: answer.etag,
    'cache-control': 'private, no-cache',
  };
  Object.assign(headers, answer.headers);
  return isKnown(ifNoneMatch, answer.etag)
    ? { status: 304, body: null, headers }
    : { status: 200, body: answer.body, headers };
};
