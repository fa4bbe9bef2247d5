import prices from '../../metadata/prices.json' with { type: 'json' };
import { type Prices, parsePrices } from '../../shared/billing/prices.ts';
import { FIT_DEFINITION } from '../../shared/iqa/fit-tool.ts';
import type { Iqa } from '../../shared/iqa/iqa.ts';
import { toDefinitions } from '../../shared/iqa/to-definitions.ts';
import type { Handlers } from '../../shared/registry/layer.ts';
import type { ToolSource } from '../../shared/registry/load.ts';

/** The tools that come with the product; image tools only as far as they can run here. */
export const shippedTools = async ({ catalogue, computations }: Iqa): Promise<ToolSource> => {
  const canRun = await computations.availability();
  return {
    kind: 'shipped',
    source: 'assay',
    definitions: [...toDefinitions(catalogue.tools.filter(canRun)), FIT_DEFINITION],
  };
};

/** The functions behind them. */
export const shippedHandlers = (iqa: Iqa): Handlers => ({ builtin: new Map(), internal: new Map(iqa.handlers) });

/** What they cost. */
export const shippedPrices = (): Prices => parsePrices(prices, 'metadata/prices.json');
