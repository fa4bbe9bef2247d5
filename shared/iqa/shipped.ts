import { lazily } from '../kernel/lazily.ts';
import type { ShippedComputations } from './computations.ts';
import { graphDigest, graphMetrics } from './metrics.ts';
import { pixelDigest, pixelMetrics } from './nr/metrics.ts';

/** The computations that ship: graphs by the digests of their ONNX files, the others by the figures they read. */
export const shippedComputations = (): ShippedComputations => {
  // Building a graph takes time, so it is put off until a score asks for its digest.
  const digests = new Map([
    ...graphMetrics.map(({ name }) => [name, lazily(() => graphDigest(name))] as const),
    ...pixelMetrics.map(({ name }) => [name, lazily(() => pixelDigest(name))] as const),
  ]);
  return {
    has: (graph) => digests.has(graph),
    digest: (graph) => digests.get(graph)?.() ?? '',
  };
};
