import { Fault, messageOf } from '../../shared/kernel/errors.ts';
import type { ApiContext } from './env.ts';

const MAX_DEPTH = 200;

/**
 * What a model answered, as it came from the provider: one JSON value, or a stream as server-sent events or as one
 * JSON value a line, whose events become a list.
 */
export const readModelOutput = async (c: ApiContext): Promise<unknown> => {
  const text = await c.req.text();
  if (text.trim() === '') throw new Fault('InvalidInput', 'the body is empty; send the response of the model');
  const value = isStream(text) ? eventsOf(text) : valuesOf(text);
  if (isDeeper(value, MAX_DEPTH))
    throw new Fault('InvalidInput', `the body is nested deeper than ${MAX_DEPTH} levels`, { limit: MAX_DEPTH });
  return value;
};

const isStream = (text: string): boolean => /^\s*(data|event|id|retry|):/.test(text);

/** The data of server-sent events; what is not JSON, such as `[DONE]`, is no event of a model. */
const eventsOf = (text: string): readonly unknown[] =>
  text
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n'),
    )
    .flatMap((data) => {
      const parsed = parse(data);
      return parsed.ok ? [parsed.value] : [];
    });

const valuesOf = (text: string): unknown => {
  const whole = parse(text);
  if (whole.ok) return whole.value;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length < 2) throw notJson(whole.reason);
  return lines.map((line) => {
    const parsed = parse(line);
    if (parsed.ok) return parsed.value;
    throw notJson(parsed.reason);
  });
};

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string };

const parse = (text: string): Parsed => {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (thrown) {
    return { ok: false, reason: messageOf(thrown) };
  }
};

const notJson = (reason: string): Fault =>
  new Fault('InvalidInput', `the body is neither JSON nor a stream of events: ${reason}`);

const isDeeper = (value: unknown, most: number): boolean => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
};
