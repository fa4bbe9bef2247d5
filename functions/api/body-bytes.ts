import { Fault } from '../../shared/kernel/errors.ts';
import type { ApiContext } from './env.ts';
import { headerOf, stateOf } from './request-state.ts';

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/**
 * The text of a body. If it declares its length, the server enforces that and the body is read at once; otherwise it is
 * counted while it streams, so that never more than the limit is in memory.
 */
export const readText = async (c: ApiContext, limit = MAX_BODY_BYTES): Promise<string> =>
  isBounded(c, limit) && stateOf(c).sent === undefined
    ? received(c, c.req.text())
    : decoder.decode(await readBytes(c, limit));

/**
 * The bytes of a body, limited in the same way; `take` is called before they are in memory. They are cached, because a
 * stream can be read only once.
 */
export const readBytes = async (
  c: ApiContext,
  limit = MAX_BODY_BYTES,
  take: (bytes: number) => void = () => {},
): Promise<Uint8Array<ArrayBuffer>> => {
  const state = stateOf(c);
  if (state.sent !== undefined) return state.sent;
  const isStated = isBounded(c, limit);
  if (isStated) take(Number(headerOf(c, 'content-length')));
  const bytes = await received(
    c,
    isStated ? c.req.arrayBuffer().then((buffer) => new Uint8Array(buffer)) : countBytes(c, limit, take),
  );
  state.sent = bytes;
  return bytes;
};

/** A body that ends early is the sender's error: its connection broke, or its encoding is invalid. */
const received = async <T>(c: ApiContext, reading: Promise<T>): Promise<T> => {
  try {
    return await reading;
  } catch (cause) {
    if (cause instanceof Fault || stateOf(c).incoming?.complete !== false) throw cause;
    throw new Fault('InvalidInput', 'the body ended early or has an invalid encoding; send it again', {}, { cause });
  }
};

/** Parsing and checking a body of this size takes long enough to delay other requests. */
const LARGE_BYTES = 64 * 1024;

/** Whether a body is large or does not declare its size. */
export const isLarge = (c: ApiContext): boolean =>
  headerOf(c, 'transfer-encoding') !== undefined || Number(headerOf(c, 'content-length') ?? 0) > LARGE_BYTES;

const decoder = new TextDecoder();

/** Whether a body declares its length, within the limit. */
const isBounded = (c: ApiContext, limit: number): boolean => {
  const length = headerOf(c, 'content-length');
  if (length === undefined || headerOf(c, 'transfer-encoding') !== undefined) return false;
  if (Number(length) > limit) throw tooLarge(limit);
  return true;
};

const countBytes = async (
  c: ApiContext,
  limit: number,
  take: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    size += chunk.length;
    // Leaving the loop cancels the stream, so the rest is not read.
    if (size > limit) throw tooLarge(limit);
    take(chunk.length);
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
};

const tooLarge = (limit: number): Fault => {
  const cure = limit === MAX_BODY_BYTES ? 'send pictures through POST /v1/uploads' : 'send a smaller one';
  return new Fault('TooLarge', `the body is larger than ${limit} bytes; ${cure}`, { limit });
};
