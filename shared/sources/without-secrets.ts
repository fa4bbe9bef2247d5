import type { OpenedUpstream } from './context.ts';
import { hasSecrets, hideSecrets, hideSecretsIn, type SentCredentials } from './send-credentials.ts';

/** Wraps an upstream so that its credentials appear in nothing it returns: lists, answers, progress or errors. */
export const withoutSecrets = (
  upstream: OpenedUpstream,
  credentials: () => Promise<SentCredentials>,
): OpenedUpstream => ({
  ...upstream,
  list: (signal) => hiding(credentials, () => upstream.list(signal)),
  call: (tool, args, context) =>
    hiding(credentials, (sent) => {
      const { progress } = context;
      if (!progress || !hasSecrets(sent)) return upstream.call(tool, args, context);
      const told: typeof progress = (done, total, message) =>
        progress(done, total, message === undefined ? message : hideSecrets(message, sent));
      return upstream.call(tool, args, { ...context, progress: told });
    }),
});

const hiding = async <T>(
  credentials: () => Promise<SentCredentials>,
  work: (sent: SentCredentials) => Promise<T>,
): Promise<T> => {
  const sent = await credentials();
  try {
    const value = await work(sent);
    return hasSecrets(sent) ? hideSecretsIn(value, sent) : value;
  } catch (thrown) {
    if (hasSecrets(sent)) hideInError(thrown, sent);
    throw thrown;
  }
};

/** The error object is kept, because others check its type. */
const hideInError = (thrown: unknown, sent: SentCredentials): void => {
  let error = thrown;
  for (let depth = 0; error instanceof Error && depth < 8; depth += 1) {
    error.message = hideSecrets(error.message, sent);
    if (error.stack !== undefined) error.stack = hideSecrets(error.stack, sent);
    if ('details' in error) Object.assign(error, { details: hideSecretsIn(error.details, sent) });
    error = error.cause;
  }
};
