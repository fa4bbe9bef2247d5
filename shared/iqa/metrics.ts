import { digestOf, sha256 } from '../kernel/canonical-json.ts';
import { Fault } from '../kernel/errors.ts';
import { fsim } from './fsim/metric.ts';
import type { BuiltGraph } from './graph.ts';
import { cwSsim } from './graphs/cw-ssim.ts';
import { gmsd } from './graphs/gmsd.ts';
import { haarpsi } from './graphs/haarpsi.ts';
import { msSsim } from './graphs/ms-ssim.ts';
import { nlpd } from './graphs/nlpd.ts';
import { psnr, psnry } from './graphs/psnr.ts';
import { ssim, ssimc } from './graphs/ssim.ts';
import { lpips } from './lpips/metric.ts';
import { mdsi } from './mdsi/metric.ts';
import type { GraphMetric, WeightsFile } from './metric.ts';
import { ssimulacra2 } from './ssimulacra2/metric.ts';
import { vif } from './vif/metric.ts';
import { vsi } from './vsi/metric.ts';

/** The full-reference metrics that ship. */
export const graphMetrics: readonly GraphMetric[] = [
  psnr,
  psnry,
  ssim,
  ssimc,
  msSsim,
  gmsd,
  nlpd,
  fsim,
  vsi,
  vif,
  cwSsim,
  haarpsi,
  mdsi,
  ssimulacra2,
  lpips,
];

const byName = new Map(graphMetrics.map((metric) => [metric.name, metric]));

export const graphMetric = (name: string): GraphMetric | undefined => byName.get(name);

/** What `assay models show` prints of one graph. */
export interface GraphDescription {
  readonly name: string;
  readonly digest: string;
  readonly size_bytes: number;
  readonly nodes: number;
  readonly operators: Readonly<Record<string, number>>;
  readonly inputs: readonly {
    readonly name: string;
    readonly type: string;
    readonly shape: readonly (number | string)[];
  }[];
  readonly outputs: readonly {
    readonly name: string;
    readonly type: string;
    readonly shape: readonly (number | string)[];
  }[];
}

/** The graphs a shipped metric runs; `read` loads the weights of a learned one. */
export function graphsOf(name: string, read?: (file: WeightsFile) => Uint8Array): readonly BuiltGraph[] {
  const metric = requireMetric(name);
  return metric.graphs(metric.weightsFile && read?.(metric.weightsFile));
}

/** SHA-256 over the digests of a metric's graphs, weights and figures, which its scores depend on besides the code. */
export function graphDigest(name: string): string {
  const { weightsFile, figures } = requireMetric(name);
  const digests = [
    ...graphsOf(name).map((graph) => graph.digest),
    ...(weightsFile ? [weightsFile.sha256] : []),
    ...(figures ? [digestOf(figures)] : []),
  ];
  return digests.length === 1 && digests[0] ? digests[0] : sha256(digests.join('\n'));
}

function requireMetric(name: string): GraphMetric {
  const metric = byName.get(name);
  if (metric) return metric;
  const known = [...byName.keys()].join(', ');
  throw new Fault('NotFound', `${name} has no built-in graph; these have: ${known}`, { tool: name });
}

export function describeGraph(graph: BuiltGraph): GraphDescription {
  const operators: Record<string, number> = {};
  for (const { op } of graph.nodes) operators[op] = (operators[op] ?? 0) + 1;
  return {
    name: graph.name,
    digest: graph.digest,
    size_bytes: graph.bytes.length,
    nodes: graph.nodes.length,
    operators,
    inputs: graph.inputs,
    outputs: graph.outputs,
  };
}
