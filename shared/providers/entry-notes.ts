import { asRecord } from './json.ts';
import type { Fragment } from './types.ts';

/** How one tool was declared to the provider. */
export interface EntryNote {
  readonly tool: string;
  /** The name that the provider uses. */
  readonly name: string;
  readonly strict: boolean;
  readonly deferred: boolean;
  readonly allowed: boolean;
  /** Who may call it; absent where the provider has no such setting. */
  readonly allowed_callers?: unknown;
}

/** How each tool is declared; without a choice, all are allowed. */
export const entryNotes = (fragments: readonly Fragment[], allowed?: readonly string[]): readonly EntryNote[] => {
  const names = allowed && new Set(allowed);
  return fragments.map(({ tool, name, strict, value }) => {
    const { defer_loading, allowed_callers } = asRecord(value);
    return { tool, name, strict, deferred: defer_loading === true, allowed: names?.has(tool) ?? true, allowed_callers };
  });
};
