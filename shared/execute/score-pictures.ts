import { requireScope } from '../access/scopes.ts';
import type { Iqa } from '../iqa/iqa.ts';
import type { IqaCatalogue } from '../iqa/metadata.ts';
import { type DigestedImage, digestImage } from '../iqa/open-images.ts';
import { chooseToolsFor, type ScoreImageRequest, type ScoreReport, scoreImage } from '../iqa/score.ts';
import type { Actor } from '../model/key.ts';
import { computeCharge, type Prices, priceOf } from './billing/prices.ts';
import type { Caller, CallOptions, LayerContext } from './call.ts';
import { visibleCatalogue } from './image-tools.ts';
import { runOperation } from './operation.ts';
import { makeQuote, type Quote } from './spend.ts';

export interface ScoreContext extends LayerContext {
  readonly iqa: Iqa;
  readonly prices?: Prices | undefined;
}

export interface ScoreCallOptions extends CallOptions {
  /** The call id, where the same images may be retried. */
  readonly id?: string | undefined;
}

export type PaidReport = ScoreReport & { readonly charged_micros: number };

/**
 * Scores an image as one call. The price is that of each tool that succeeded, at the cached price where it was cached.
 */
export const scorePictures = async (
  context: ScoreContext,
  actor: Actor,
  request: Omit<ScoreImageRequest, 'tenant' | 'signal'>,
  signal?: Caller,
  options: ScoreCallOptions = {},
): Promise<PaidReport> => {
  requireScope(actor, 'invoke');
  const { prices } = context;
  const iqa = { ...context.iqa, catalogue: visibleCatalogue(context.iqa.catalogue, actor) };
  const image = await digestImage(request.image);
  const reference = request.reference && (await digestImage(request.reference));
  const choice = await chooseToolsFor(iqa, { ...request, reference });
  const price = (name: string): number => priceOfTool(prices, iqa.catalogue, name);
  const { value, chargedMicros } = await runOperation(
    context,
    actor,
    {
      name: 'score',
      arguments: {
        image: shownImage(image),
        reference: reference && shownImage(reference),
        tools: request.tools,
        distortions: request.distortions,
      },
      priceMicros: choice.names.reduce((sum, name) => sum + price(name), 0),
      async work(stop) {
        const asked = { ...request, image, reference, tenant: actor.tenant, signal: stop };
        const report = await scoreImage(iqa, asked, choice);
        const cached = report.scores.every((score) => score.cached);
        return { value: report, output: shownReport(report), cached, actualMicros: sumOf(report, price, prices) };
      },
    },
    signal,
    options,
  );
  return { ...value, charged_micros: chargedMicros };
};

/** The most that scoring these pictures would cost, with the tools that would be chosen. */
export const quoteScore = async (
  context: ScoreContext,
  actor: Actor,
  request: Pick<ScoreImageRequest, 'reference' | 'tools' | 'distortions'>,
  maxMicros?: number,
): Promise<Quote> => {
  requireScope(actor, 'invoke');
  const iqa = { ...context.iqa, catalogue: visibleCatalogue(context.iqa.catalogue, actor) };
  const { names } = await chooseToolsFor(iqa, request);
  const micros = names.reduce((sum, name) => sum + priceOfTool(context.prices, iqa.catalogue, name), 0);
  return { ...makeQuote('score', micros, maxMicros), tools: names };
};

const shownImage = ({ key, sha256, bytes }: DigestedImage) => ({ key, sha256, bytes: bytes.length });

const shownReport = ({ image: { width, height, format }, scores, overall }: ScoreReport) => ({
  image: { width, height, format },
  scores: scores.map(({ tool, raw, normalized, cached, error }) => ({ tool, raw, normalized, cached, error })),
  overall,
});

const priceOfTool = (prices: Prices | undefined, catalogue: IqaCatalogue, name: string): number => {
  const tool = catalogue.find(name);
  return prices && tool ? (priceOf(prices, tool) ?? 0) : 0;
};

const sumOf = (report: ScoreReport, price: (name: string) => number, prices: Prices | undefined): number =>
  report.scores.reduce(
    (sum, { tool, error, cached }) =>
      sum + (prices && error === undefined ? computeCharge(prices, price(tool), cached) : 0),
    0,
  );
