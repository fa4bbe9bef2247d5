import type { Handler } from '../kernel/ports.ts';
import type { Tool } from '../model/tool.ts';
import type { Layer } from './catalog.ts';

/** The functions that tools name: builtins, and internal integrations with the plugins among them. */
export interface Handlers {
  readonly builtin: ReadonlyMap<string, Handler>;
  readonly internal: ReadonlyMap<string, Handler>;
}

export interface Refused {
  readonly source: string;
  readonly name: string;
  readonly reason: string;
}

/** The load report: which tools were loaded, and why others were not. */
export interface LoadReport {
  readonly registered: readonly string[];
  /** Invalid: an error in its source. */
  readonly refused: readonly Refused[];
  /** Skipped with a warning: a plugin that repeats a name or does not load. */
  readonly skipped: readonly Refused[];
}

/** The read-only layer with the functions behind it. */
export interface Loaded {
  readonly layer: Layer;
  readonly handlers: Handlers;
  readonly report: LoadReport;
}

/** The function behind a definition; undefined for a mock, a bare spec, or a handler that is not loaded here. */
export const findHandler = (
  handlers: Handlers,
  { implementation }: Pick<Tool, 'implementation'>,
): Handler | undefined =>
  implementation && implementation.type !== 'mock'
    ? handlers[implementation.type].get(implementation.handler)
    : undefined;
