import { Fault, messageOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/ports.ts';
import { requireTool } from './choose-tools.ts';
import type { Computations } from './computations.ts';
import type { EncodeOptions, IqaEngine, LearnedModel, Picture } from './engine.ts';
import { executeTool } from './execute-tool.ts';
import type { IqaCatalogue, IqaTool } from './metadata.ts';
import { normaliseScore } from './normalise.ts';
import type { ImageFile } from './open-images.ts';

export type FitFormat = Exclude<EncodeOptions['format'], 'png'>;
export const FIT_FORMATS: readonly FitFormat[] = ['jpeg', 'webp', 'avif'];

export interface FitRequest {
  readonly image: ImageFile;
  /** A full-reference tool and the raw score that must still be met. */
  readonly target: { readonly tool: string; readonly value: number };
  readonly formats?: readonly FitFormat[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each step of the search. */
  readonly progress?: ((point: FitPoint, done: number, total: number) => void) | undefined;
}

export interface FitPoint {
  readonly format: FitFormat;
  readonly quality: number;
  readonly bytes: number;
  readonly raw: number;
  readonly normalized: number;
  readonly meets: boolean;
}

export interface FitReport {
  readonly image: { readonly width: number; readonly height: number; readonly format: string; readonly bytes: number };
  readonly target: { readonly tool: string; readonly value: number };
  /** The smallest file that meets the target; null when none does. */
  readonly best: FitPoint | null;
  /** Everything that was tried, by format and quality. */
  readonly curve: readonly FitPoint[];
  readonly skipped: readonly { readonly format: FitFormat; readonly reason: string }[];
}

export interface FitDeps {
  readonly catalogue: IqaCatalogue;
  readonly engine: IqaEngine;
  readonly computations: Computations;
  readonly log: Log;
}

const QUALITIES = { lowest: 1, highest: 100 } as const;
// Both ends, then one for each halving of what lies between.
const STEPS = 2 + Math.ceil(Math.log2(QUALITIES.highest - QUALITIES.lowest));

/** Finds the smallest JPEG, WebP or AVIF whose score still meets a target, by bisection over quality. */
export const fitImage = async (
  deps: FitDeps,
  request: FitRequest,
): Promise<{ readonly report: FitReport; readonly bytes: Uint8Array | undefined }> => {
  const tool = requireFullReference(requireTool(deps.catalogue, request.target.tool));
  const { open } = await deps.computations.require(tool);
  const model = await open?.();
  const { image, signal } = request;
  const original = await deps.engine.decode(image.bytes, image.name ?? 'the picture', signal);
  try {
    return await searchAll({ deps, request, tool, model, original, curve: [] });
  } finally {
    deps.engine.release(original);
  }
};

const searchAll = async (search: Search): ReturnType<typeof fitImage> => {
  const { request, tool, original } = search;
  const { image, signal } = request;
  const formats = request.formats ?? FIT_FORMATS;
  const skipped: { format: FitFormat; reason: string }[] = [];
  let best: Candidate | undefined;
  for (const format of formats) {
    try {
      const found = await searchFormat(search, format, formats);
      if (found && (!best || found.bytes.length < best.bytes.length)) best = found;
    } catch (thrown) {
      signal?.throwIfAborted();
      // What the metric refuses, it refuses in every format.
      if (thrown instanceof Fault && thrown.code === 'InvalidInput') throw thrown;
      skipped.push({ format, reason: messageOf(thrown) });
    }
  }
  if (skipped.length === formats.length) throw allSkipped(original.name, skipped);
  const { width, height } = original.pixels;
  const report = {
    image: { width, height, format: original.format, bytes: image.bytes.length },
    target: { tool: tool.name, value: request.target.value },
    best: best?.point ?? null,
    curve: search.curve.toSorted(
      (a, b) => formats.indexOf(a.format) - formats.indexOf(b.format) || a.quality - b.quality,
    ),
    skipped,
  };
  return { report, bytes: best?.bytes };
};

interface Search {
  readonly deps: FitDeps;
  readonly request: FitRequest;
  readonly tool: IqaTool;
  readonly model: LearnedModel | undefined;
  readonly original: Picture;
  readonly curve: FitPoint[];
}

interface Candidate {
  readonly point: FitPoint;
  readonly bytes: Uint8Array;
}

/** The smallest of the tried files of a format that meet the target. */
const searchFormat = async (
  search: Search,
  format: FitFormat,
  formats: readonly FitFormat[],
): Promise<Candidate | undefined> => {
  let best: Candidate | undefined;
  const attempt = async (quality: number): Promise<boolean> => {
    const candidate = await tryQuality(search, format, quality);
    search.curve.push(candidate.point);
    search.request.progress?.(candidate.point, search.curve.length, formats.length * STEPS);
    if (candidate.point.meets && (!best || candidate.bytes.length < best.bytes.length)) best = candidate;
    return candidate.point.meets;
  };
  let { lowest: fails, highest: meets }: { lowest: number; highest: number } = QUALITIES;
  if (!(await attempt(meets)) || (await attempt(fails))) return best;
  while (meets - fails > 1) {
    const middle = (fails + meets) >> 1;
    if (await attempt(middle)) meets = middle;
    else fails = middle;
  }
  return best;
};

const tryQuality = async (
  { deps, request, tool, model, original }: Search,
  format: FitFormat,
  quality: number,
): Promise<Candidate> => {
  const { signal, target } = request;
  signal?.throwIfAborted();
  const bytes = await deps.engine.encode(original.pixels, { format, quality });
  const picture = await deps.engine.decode(bytes, `${original.name} as ${format} ${quality}`, signal);
  const raw = await executeTool(deps, { tool, model, picture, reference: original, signal }).finally(() =>
    deps.engine.release(picture),
  );
  const meets = tool.lower_better ? raw <= target.value : raw >= target.value;
  const { normalized } = normaliseScore(tool, raw);
  return { bytes, point: { format, quality, bytes: bytes.length, raw, normalized, meets } };
};

const requireFullReference = (tool: IqaTool): IqaTool => {
  if (tool.type === 'FR') return tool;
  const message = `${tool.name} cannot say how close a copy is; choose a full-reference tool such as ssim`;
  throw new Fault('InvalidInput', message, { tool: tool.name, field: 'target' });
};

const allSkipped = (image: string, skipped: readonly { format: FitFormat; reason: string }[]): Fault =>
  new Fault('ToolExecutionError', `${image} could not be fitted: ${skipped.map(({ reason }) => reason).join('; ')}`, {
    image,
    skipped,
  });
