import { Fault } from '../../kernel/errors.ts';
import type { TaskTokens } from './ports.ts';
import { StateError } from './state-error.ts';

interface Waiting {
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly beat: () => void;
}

/** Task tokens of one process: states wait for them, callers settle them. */
export interface TokenDesk extends TaskTokens {
  isWaiting(token: string): boolean;
  succeed(token: string, output: unknown): void;
  fail(token: string, error: string, cause: string): void;
  heartbeat(token: string): void;
}

/** A token is a credential: `newToken` must not be guessable. */
export function createTokenDesk(newToken: () => string): TokenDesk {
  const waiting = new Map<string, Waiting>();
  const take = (token: string): Waiting => {
    const found = waiting.get(token);
    if (found === undefined) throw new Fault('NotFound', 'no task waits for this token; it was answered or timed out');
    return found;
  };
  return {
    issue: newToken,
    wait: (token, signal, onHeartbeat) =>
      new Promise((resolve, reject) => {
        waiting.set(token, { resolve, reject, beat: onHeartbeat });
        signal.addEventListener('abort', () => waiting.delete(token), { once: true });
      }),
    isWaiting: (token) => waiting.has(token),
    succeed: (token, output) => take(token).resolve(output),
    fail: (token, error, cause) => take(token).reject(new StateError(error, cause)),
    heartbeat: (token) => take(token).beat(),
  };
}
