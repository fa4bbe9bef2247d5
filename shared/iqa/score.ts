import { Fault, messageOf } from '../kernel/errors.ts';
import { chooseTools, requireReference, requireTool } from './choose-tools.ts';
import type { Hallmark } from './hallmark-statement.ts';
import type { IqaCatalogue, IqaTool } from './metadata.ts';
import { digestImage, type ImageFile, type OpenImages, openImages } from './open-images.ts';
import { opinionInterval } from './overall.ts';
import { type ReportHallmark, stampReport } from './report-hallmark.ts';
import type { CachedScore } from './score-cache.ts';
import { type RunDeps, scoreWith } from './score-with.ts';
import { type CalibratedScore, describeLimits, type Overall, summarise } from './summarise.ts';

export interface ScoreDeps extends RunDeps {
  readonly catalogue: IqaCatalogue;
}

export interface ScoreImageRequest {
  readonly tenant: string;
  readonly image: ImageFile;
  readonly reference?: ImageFile | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly distortions?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with each score as soon as it is computed. */
  readonly onScore?: ((entry: ScoreEntry) => void) | undefined;
}

/** A score, or the error of a tool that failed. */
export interface ScoreEntry {
  readonly tool: string;
  readonly version?: string;
  readonly raw?: number;
  /** On 1..5; absent for a tool that was never calibrated against opinions. */
  readonly normalized?: number | undefined;
  /** The interval of 90 % of mean opinions for this raw score; only for calibrated full-reference tools. */
  readonly low?: number | undefined;
  readonly high?: number | undefined;
  /** Distortions the tool is known not to detect. */
  readonly limits?: string | undefined;
  readonly cached: boolean;
  readonly duration_ms: number;
  readonly warnings: readonly string[];
  readonly error?: { readonly code: string; readonly message: string };
  readonly hallmark?: Hallmark | undefined;
}

export interface ScoreReport {
  readonly image: {
    readonly sha256: string;
    readonly width: number;
    readonly height: number;
    readonly format: string;
  };
  readonly reference?: { readonly sha256: string };
  readonly scores: readonly ScoreEntry[];
  /** The predicted mean opinion; null if no calibrated tool succeeded. */
  readonly overall: Overall | null;
  /** Signs the whole report; absent without a signing key. */
  readonly hallmark?: ReportHallmark | undefined;
}

/** The tools that score a picture, chosen once. */
export interface ToolChoice {
  readonly names: readonly string[];
  /** Whether the caller named them; only then does a no-reference tool warn that the reference was not used. */
  readonly isNamed: boolean;
}

export const chooseToolsFor = async (
  { catalogue, computations }: Pick<ScoreDeps, 'catalogue' | 'computations'>,
  { reference, tools, distortions }: Pick<ScoreImageRequest, 'reference' | 'tools' | 'distortions'>,
): Promise<ToolChoice> => {
  const wish = { hasReference: reference !== undefined, tools, distortions };
  const names = chooseTools(catalogue, wish, await computations.availability());
  return { names, isNamed: tools !== undefined && tools.length > 0 };
};

/** Scores a picture with one or more tools. Failures are reported per tool; throws a fault only if all fail. */
export const scoreImage = async (
  deps: ScoreDeps,
  request: ScoreImageRequest,
  choice?: ToolChoice,
): Promise<ScoreReport> => {
  const { engine } = deps;
  const hasReference = request.reference !== undefined;
  const { names, isNamed } = choice ?? (await chooseToolsFor(deps, request));
  const image = await digestImage(request.image);
  const reference = request.reference && (await digestImage(request.reference));
  const images = openImages(engine, image, reference, request.signal, request.tenant);
  const results = await Promise.all(names.map((name) => attempt(deps, request, images, name, isNamed)));
  images.close();
  const facts = results.find(({ score }) => score)?.score;
  if (!facts) throw combineFaults(results, images.name);
  const report: ScoreReport = {
    image: { sha256: images.imageSha256, width: facts.width, height: facts.height, format: facts.format },
    reference: hasReference ? { sha256: images.referenceSha256 } : undefined,
    scores: results.map(({ entry }) => entry),
    overall: summarise(
      results.flatMap(({ calibrated }) => calibrated ?? []),
      hasReference,
    ),
  };
  const at = new Date(deps.clock.now()).toISOString();
  return deps.stamp ? { ...report, hallmark: stampReport(deps.stamp, report, at) } : report;
};

interface Attempt {
  readonly entry: ScoreEntry;
  readonly score?: CachedScore;
  readonly calibrated?: CalibratedScore;
  readonly thrown?: unknown;
}

const attempt = async (
  deps: ScoreDeps,
  { tenant, signal, onScore }: ScoreImageRequest,
  images: OpenImages,
  name: string,
  isNamed: boolean,
): Promise<Attempt> => {
  const started = deps.clock.now();
  const duration = () => ({ duration_ms: deps.clock.now() - started });
  try {
    const tool = requireTool(deps.catalogue, name);
    requireReference(tool, images.hasReference);
    const { score, cached, hallmark } = await scoreWith(deps, tool, images, tenant, signal);
    const { raw, normalized } = score;
    const warnings = isNamed && isUnused(tool, images) ? [...score.warnings, UNUSED] : score.warnings;
    const version = tool.version ?? '1.0.0';
    const made = { tool: tool.name, version, raw, normalized, cached, ...duration(), warnings };
    const interval = normalized === undefined ? undefined : opinionInterval(tool.name, raw, normalized);
    const entry = { ...made, ...interval, limits: describeLimits(tool), hallmark };
    const calibrated = normalized === undefined ? undefined : { tool: tool.name, type: tool.type, raw, normalized };
    onScore?.(entry);
    return { score, calibrated, entry };
  } catch (thrown) {
    const code = thrown instanceof Fault ? thrown.code : 'ToolExecutionError';
    const error = { code, message: messageOf(thrown) };
    return { thrown, entry: { tool: name, cached: false, ...duration(), warnings: [], error } };
  }
};

// Tools that were chosen automatically need no such warning.
const UNUSED = 'looks at one picture alone: the reference was not used';

const isUnused = ({ type }: IqaTool, { hasReference }: OpenImages): boolean => hasReference && type === 'NR';

/** If all tools failed with the same code, the fault has that code; otherwise it is a ToolExecutionError. */
const combineFaults = (results: readonly Attempt[], image: string): unknown => {
  const [first] = results.map(({ thrown }) => thrown);
  const errors = results.map(({ entry }) => ({ tool: entry.tool, ...entry.error }));
  const alike = errors.every(({ code }) => code === errors[0]?.code);
  if (results.length === 1 || !(first instanceof Fault)) return first;
  const said = errors.map(({ message }) => message).filter((message, i, all) => all.indexOf(message) === i);
  return new Fault(
    alike ? first.code : 'ToolExecutionError',
    said.length === 1 ? first.message : `every tool failed on ${image}: ${said.join('; ')}`,
    { ...(alike ? first.details : {}), image, errors },
    { cause: first },
  );
};
