import { lazily } from '../kernel/lazily.ts';
import type { ShippedComputations } from './computations.ts';
import { graphDigest, graphMetric } from './metrics.ts';
import { pixelDigest } from './nr/metrics.ts';

/** The names of the shipped computations, which a start needs without loading any of them. */
const SHIPPED_COMPUTATIONS = [
  'psnr',
  'psnry',
  'ssim',
  'ssimc',
  'ms_ssim',
  'gmsd',
  'nlpd',
  'fsim',
  'vsi',
  'vif',
  'cw_ssim',
  'haarpsi',
  'mdsi',
  'ssimulacra2',
  'lpips',
  'niqe',
  'brisque',
  'piqe',
  'entropy',
] as const;

/** The shipped computations: graphs are identified by their ONNX files, the others by their figures. */
export const shippedComputations = (): ShippedComputations => {
  // Building a graph takes time, so each is built when a score first needs its digest.
  const digests = new Map<string, () => string>(
    SHIPPED_COMPUTATIONS.map((name) => [name, lazily(() => digestOf(name))]),
  );
  return {
    has: (graph) => digests.has(graph),
    digest: (graph) => digests.get(graph)?.() ?? '',
  };
};

const digestOf = (name: string): string => (graphMetric(name) ? graphDigest(name) : pixelDigest(name));
