import { shorten } from '../kernel/errors.ts';
import type { CallError } from '../model/call.ts';

export const MAX_MESSAGE = 2000;
const MAX_STACK = 4000;

/** The error that is reported for anything a tool threw: an error, a text or nothing at all. */
export const toCallError = (thrown: unknown): CallError & { readonly stack?: string } => {
  if (!isErrorLike(thrown)) return { type: 'Error', message: shorten(describeThrown(thrown), MAX_MESSAGE) };
  const { name, message, stack } = thrown;
  return {
    type: typeof name === 'string' && name !== '' ? shorten(name, 128) : 'Error',
    message: shorten(message === '' ? 'the tool failed without a message' : message, MAX_MESSAGE),
    stack: typeof stack === 'string' ? shorten(stack, MAX_STACK) : undefined,
  };
};

const isErrorLike = (thrown: unknown): thrown is { name?: unknown; message: string; stack?: unknown } =>
  typeof thrown === 'object' && thrown !== null && 'message' in thrown && typeof thrown.message === 'string';

const describeThrown = (thrown: unknown): string => {
  try {
    return typeof thrown === 'string' ? thrown : (JSON.stringify(thrown) ?? String(thrown));
  } catch {
    return 'the tool threw what cannot be shown';
  }
};
