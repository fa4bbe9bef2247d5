import prices from '../../metadata/prices.json' with { type: 'json' };
import { type Prices, parsePrices } from '../../shared/execute/billing/prices.ts';
import { FIT_DEFINITION } from '../../shared/iqa/fit-tool.ts';
import type { Iqa } from '../../shared/iqa/iqa.ts';
import { MAP_DEFINITION } from '../../shared/iqa/map-tool.ts';
import { toDefinition, toolNameOf } from '../../shared/iqa/to-definitions.ts';
import type { Handlers } from '../../shared/registry/layer.ts';
import type { ToolSource } from '../../shared/registry/load.ts';
import type { BuiltinTools, NamedTool } from './builtin-tools.ts';
import { checkedFamilies } from './checked-families.ts';

/** The parts of a process that can run tools. */
export interface Shipped {
  readonly iqa?: Iqa;
  readonly builtin?: BuiltinTools;
}

/** The tools that come with the product; image-quality tools only if they can run here. */
export const shippedTools = async ({ iqa, builtin }: Shipped): Promise<ShippedSource> => {
  const checked = checkedFamilies();
  const tools = [...(builtin?.tools ?? []), ...(iqa ? await imageQualityTools(iqa) : [])];
  return {
    kind: 'shipped',
    source: 'assay',
    definitions: tools.filter(({ name }) => checked[name] === undefined).map(({ define }) => define()),
    families: tools.flatMap(({ name }) => checked[name] ?? []),
  };
};

type ShippedSource = Extract<ToolSource, { readonly kind: 'shipped' }>;

const imageQualityTools = async ({ catalogue, computations }: Iqa): Promise<readonly NamedTool[]> => {
  const canRun = await computations.availability();
  const metrics = catalogue.tools
    .filter(canRun)
    .map((tool) => ({ name: toolNameOf(tool.name), define: () => toDefinition(tool) }));
  return [
    ...metrics,
    { name: 'image_fit', define: () => FIT_DEFINITION },
    { name: 'score_map', define: () => MAP_DEFINITION },
  ];
};

/** The handlers of the shipped tools. */
export const shippedHandlers = ({ iqa, builtin }: Shipped): Handlers => ({
  builtin: builtin?.handlers ?? new Map(),
  internal: iqa?.handlers ?? new Map(),
});

/** The prices of the shipped tools. */
export const shippedPrices = (): Prices => parsePrices(prices, 'metadata/prices.json');
