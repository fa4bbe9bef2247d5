import { chooseTools } from '../../iqa/choose-tools.ts';
import type { Iqa } from '../../iqa/iqa.ts';
import { type ScoreImageRequest, type ScoreReport, scoreImage } from '../../iqa/score.ts';
import type { Actor } from '../../model/key.ts';
import type { ExecuteContext } from '../execute.ts';
import { type Operation, operate } from './operation.ts';
import { chargeOf, type Prices, priceOf } from './prices.ts';

type Context = Pick<ExecuteContext, 'clock' | 'meter' | 'recorder'> & { readonly prices?: Prices };

/** Scores a picture as one operation: the price of each tool that succeeded, at the cached price where it was known. */
export const scorePriced = async (
  context: Context,
  iqa: Iqa,
  actor: Actor,
  request: ScoreImageRequest,
  options: Pick<Operation, 'requestId' | 'metered' | 'id'> = {},
): Promise<ScoreReport & { readonly charged_micros: number }> => {
  const wish = {
    hasReference: request.reference !== undefined,
    tools: request.tools,
    distortions: request.distortions,
  };
  const names = chooseTools(iqa.catalogue, wish, await iqa.computations.availability());
  const price = (name: string): number => toolPrice(context.prices, iqa, name);
  const priceMicros = names.reduce((sum, name) => sum + price(name), 0);
  const { value, chargedMicros } = await operate(
    context,
    actor,
    { name: 'score', priceMicros, ...options },
    async () => {
      const report = await scoreImage(iqa, { ...request, tools: names });
      return {
        value: report,
        cached: report.scores.every(({ cached }) => cached),
        micros: cameTo(report, price, context.prices),
      };
    },
  );
  return { ...value, charged_micros: chargedMicros };
};

const toolPrice = (prices: Prices | undefined, { catalogue }: Iqa, name: string): number => {
  const tool = catalogue.find(name);
  return prices && tool ? (priceOf(prices, tool.name, tool.price_micros) ?? 0) : 0;
};

const cameTo = (report: ScoreReport, price: (name: string) => number, prices: Prices | undefined): number =>
  report.scores.reduce(
    (sum, { tool, error, cached }) => sum + (prices && error === undefined ? chargeOf(prices, price(tool), cached) : 0),
    0,
  );
