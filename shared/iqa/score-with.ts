import { digestOf } from '../kernel/canonical-json.ts';
import type { Clock, Log } from '../kernel/ports.ts';
import type { Computations } from './computations.ts';
import type { IqaEngine } from './engine.ts';
import { executeTool } from './execute-tool.ts';
import type { Stamp } from './hallmark.ts';
import type { Hallmark, HallmarkStatement } from './hallmark-statement.ts';
import type { IqaTool } from './metadata.ts';
import { normaliseScore } from './normalise.ts';
import type { OpenImages } from './open-images.ts';
import { type CachedScore, NO_REFERENCE, type ScoreCache } from './score-cache.ts';

/** What running one tool depends on. */
export interface RunDeps {
  readonly engine: IqaEngine;
  readonly computations: Computations;
  readonly cache: ScoreCache;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  /** Signs scores; without it they carry no hallmark. */
  readonly stamp?: Stamp;
}

export interface Scored {
  readonly score: CachedScore;
  readonly cached: boolean;
  readonly hallmark?: Hallmark;
}

/** Scores a picture with one tool: from the cache, or by decoding, running the tool and normalising. */
export const scoreWith = async (
  deps: RunDeps,
  tool: IqaTool,
  images: OpenImages,
  tenant: string,
  signal: AbortSignal | undefined,
): Promise<Scored> => {
  const computation = await deps.computations.require(tool);
  const decoder = formatVersions(deps.engine.versions());
  const identity = {
    image: images.imageSha256,
    tool: tool.name,
    digest: digestOf({ tool, computation: computation.sha256, decoder }),
    reference: tool.type === 'FR' ? images.referenceSha256 : NO_REFERENCE,
  };
  const stored = await deps.cache.get(tenant, identity);
  const score = stored ?? (await compute());
  if (!stored) await deps.cache.put(tenant, identity, score);
  if (!deps.stamp) return { score, cached: stored !== undefined };
  const hallmark = deps.stamp<HallmarkStatement>({
    v: 1,
    image_sha256: identity.image,
    reference_sha256: tool.type === 'FR' ? identity.reference : null,
    tool: tool.name,
    version: tool.version ?? '1.0.0',
    tool_digest: identity.digest,
    graph_sha256: computation.sha256,
    decoder,
    raw: score.raw,
    normalized: score.normalized,
    at: new Date(deps.clock.now()).toISOString(),
  });
  return { score, cached: stored !== undefined, hallmark };

  async function compute(): Promise<CachedScore> {
    const pictures = await images.decode();
    const model = await computation.open?.();
    const raw = await executeTool(deps, { tool, model, ...pictures, signal });
    const { normalized, warnings } = normaliseIfCalibrated(tool, raw);
    const { pixels, format, notes } = pictures.picture;
    return { raw, normalized, warnings: [...notes, ...warnings], width: pixels.width, height: pixels.height, format };
  }
};

/** A tool that was never calibrated against opinions has no normalised score. */
const normaliseIfCalibrated = (tool: IqaTool, raw: number): { normalized?: number; warnings: readonly string[] } =>
  tool.logistic_params
    ? normaliseScore(tool, raw)
    : { warnings: [`${tool.name} has no logistic_params: its raw score has no place on the scale from 1 to 5`] };

const formatVersions = (versions: Readonly<Record<string, string>>): string =>
  Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .sort()
    .join(', ');
