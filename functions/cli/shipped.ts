import type { Handlers } from '../../shared/registry/layer.ts';
import type { ToolSource } from '../../shared/registry/load.ts';

/** The tools that come with the product. */
export const shippedTools = (): ToolSource => ({ kind: 'shipped', source: 'assay', definitions: [] });

/** The functions behind them. */
export const shippedHandlers = (): Handlers => ({ builtin: new Map(), internal: new Map() });
