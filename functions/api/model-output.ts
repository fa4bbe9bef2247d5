import * as z from 'zod';
import { checkJsonText, checkLines } from '../../shared/kernel/check-json-text.ts';
import { Fault, messageOf } from '../../shared/kernel/errors.ts';
import { readText } from './body-bytes.ts';
import type { Body } from './route.ts';

const MAX_DEPTH = 200;
/** A stream has a few objects in each event, and hundreds of thousands of events take long to read. */
const LIMITS = { parts: 400_000 };
const MAX_LINES = 200_000;

/**
 * A model's response as the provider sent it: one JSON value, or the text of a stream, as server-sent events or JSON
 * lines. A stream may end early; the call that it cuts off then has an error.
 */
export const modelOutput: Body<{ json: unknown }, unknown> = {
  schema: z.unknown(),
  type: 'application/json',
  async read(c) {
    const text = await readText(c);
    if (text.trim() === '') throw new Fault('InvalidInput', 'the body is empty; send the response of the model');
    checkJsonText(text, 'the response', LIMITS);
    checkLines(text, 'the response', MAX_LINES);
    if (isStream(text)) return text;
    const whole = parse(text);
    if (!whole.ok && !hasLines(text))
      throw new Fault('InvalidInput', `the body is neither JSON nor a stream of events: ${whole.reason}`);
    if (whole.ok && isDeeper(whole.value, MAX_DEPTH))
      throw new Fault('InvalidInput', `the body is nested deeper than ${MAX_DEPTH} levels`, { limit: MAX_DEPTH });
    return whole.ok ? whole.value : text;
  },
};

const isStream = (text: string): boolean => /^\s*(data|event|id|retry|):/.test(text);

/** Whether every line may be a JSON object: the last one may be cut off, but not the first. */
const hasLines = (text: string): boolean => {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 && lines.every((line) => line.trimStart().startsWith('{')) && parse(lines[0] ?? '').ok;
};

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string };

const parse = (text: string): Parsed => {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (thrown) {
    return { ok: false, reason: messageOf(thrown) };
  }
};

const isDeeper = (value: unknown, most: number): boolean => {
  let level = [value].filter(isNested);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= most) return true;
    const inner: object[] = [];
    for (const item of level) for (const each of Object.values(item)) if (isNested(each)) inner.push(each);
    level = inner;
  }
  return false;
};

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
