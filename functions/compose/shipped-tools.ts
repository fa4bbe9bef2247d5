import prices from '../../metadata/prices.json' with { type: 'json' };
import { type Prices, parsePrices } from '../../shared/execute/billing/prices.ts';
import { FIT_DEFINITION } from '../../shared/iqa/fit-tool.ts';
import type { Iqa } from '../../shared/iqa/iqa.ts';
import { MAP_DEFINITION } from '../../shared/iqa/map-tool.ts';
import { toDefinitions } from '../../shared/iqa/to-definitions.ts';
import type { Handlers } from '../../shared/registry/layer.ts';
import type { ToolSource } from '../../shared/registry/load.ts';
import type { BuiltinTools } from './builtin-tools.ts';

/** What a process has to run tools with. */
export interface Shipped {
  readonly iqa?: Iqa;
  readonly builtin?: BuiltinTools;
}

/** The tools that come with the product; image-quality tools only as far as they can run here. */
export const shippedTools = async ({ iqa, builtin }: Shipped): Promise<ToolSource> => ({
  kind: 'shipped',
  source: 'assay',
  definitions: [...(builtin?.definitions ?? []), ...(iqa ? await imageQualityTools(iqa) : [])],
});

const imageQualityTools = async ({ catalogue, computations }: Iqa): Promise<readonly unknown[]> => {
  const canRun = await computations.availability();
  return [...toDefinitions(catalogue.tools.filter(canRun)), FIT_DEFINITION, MAP_DEFINITION];
};

/** The functions behind them. */
export const shippedHandlers = ({ iqa, builtin }: Shipped): Handlers => ({
  builtin: builtin?.handlers ?? new Map(),
  internal: iqa?.handlers ?? new Map(),
});

/** What they cost. */
export const shippedPrices = (): Prices => parsePrices(prices, 'metadata/prices.json');
