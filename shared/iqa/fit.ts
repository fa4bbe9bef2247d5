import { Fault, messageOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/ports.ts';
import { requireTool } from './choose-tools.ts';
import type { Computations } from './computations.ts';
import type { EncodeOptions, IqaEngine, LearnedModel, Picture } from './engine.ts';
import { executeTool } from './execute-tool.ts';
import { searchSmallest, TRIES } from './fit-search.ts';
import type { IqaCatalogue, IqaTool } from './metadata.ts';
import { normaliseScore } from './normalise.ts';
import type { ImageFile } from './open-images.ts';

export type FitFormat = Exclude<EncodeOptions['format'], 'png'>;
export const FIT_FORMATS: readonly FitFormat[] = ['jpeg', 'webp', 'avif'];

/** sharp's default for AVIF: higher values take several times as long to save a few per cent. */
export const DEFAULT_EFFORT = 4;

export interface FitRequest {
  readonly image: ImageFile;
  readonly tenant?: string | undefined;
  /** A full-reference tool and the raw score that must still be met. */
  readonly target: { readonly tool: string; readonly value: number };
  readonly formats?: readonly FitFormat[] | undefined;
  /** How long AVIF may take, 0 to 9. */
  readonly effort?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each step of the search. */
  readonly progress?: ((point: FitPoint, done: number, total: number) => void) | undefined;
}

export interface FitPoint {
  readonly format: FitFormat;
  readonly quality: number;
  readonly bytes: number;
  readonly raw: number;
  readonly normalized?: number | undefined;
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

/** Finds the smallest JPEG, WebP or AVIF whose score still meets a target. */
export const fitImage = async (
  deps: FitDeps,
  request: FitRequest,
): Promise<{ readonly report: FitReport; readonly bytes: Uint8Array | undefined }> => {
  const tool = requireFullReference(requireTool(deps.catalogue, request.target.tool));
  const { open } = await deps.computations.require(tool);
  const model = await open?.();
  const { image, signal, tenant = 'default' } = request;
  const name = image.name ?? 'the picture';
  // The original, and one attempt beside it.
  const file = { bytes: image.bytes, name };
  const releaseMemory = await deps.engine.reserve([file, file], tenant, signal);
  try {
    const original = await deps.engine.decode(image.bytes, name, signal);
    return await searchAll({ deps, request, tool, model, original, curve: [] }).finally(() =>
      deps.engine.release(original),
    );
  } finally {
    releaseMemory();
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
      // The metric refuses the picture itself, so it would in every format.
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

/** The smallest file of a format that meets the target. */
const searchFormat = async (
  search: Search,
  format: FitFormat,
  formats: readonly FitFormat[],
): Promise<Candidate | undefined> => {
  // Only the smallest file that meets is kept, to save memory.
  let smallest: Uint8Array | undefined;
  const found = await searchSmallest(async (quality) => {
    const { point, bytes } = await tryQuality(search, format, quality);
    search.curve.push(point);
    search.request.progress?.(point, search.curve.length, Math.max(search.curve.length, formats.length * TRIES));
    if (point.meets && (!smallest || bytes.length < smallest.length)) smallest = bytes;
    return point;
  });
  return found && smallest && { point: found, bytes: smallest };
};

const tryQuality = async (
  { deps, request, tool, model, original }: Search,
  format: FitFormat,
  quality: number,
): Promise<Candidate> => {
  const { signal, target } = request;
  signal?.throwIfAborted();
  const bytes = await deps.engine.encode(original.pixels, {
    format,
    quality,
    effort: request.effort ?? DEFAULT_EFFORT,
  });
  const picture = await deps.engine.decode(bytes, `${original.name} as ${format} ${quality}`, signal);
  const raw = await executeTool(deps, { tool, model, picture, reference: original, signal }).finally(() =>
    deps.engine.release(picture),
  );
  const meets = tool.lower_better ? raw <= target.value : raw >= target.value;
  const normalized = tool.logistic_params && normaliseScore(tool, raw).normalized;
  return { bytes, point: { format, quality, bytes: bytes.length, raw, normalized, meets } };
};

const requireFullReference = (tool: IqaTool): IqaTool => {
  if (tool.type === 'FR') return tool;
  const message = `${tool.name} takes no reference, so it cannot compare a copy with its original; choose a full-reference tool such as ssim`;
  throw new Fault('InvalidInput', message, { tool: tool.name, field: 'target' });
};

const allSkipped = (image: string, skipped: readonly { format: FitFormat; reason: string }[]): Fault =>
  new Fault('ToolExecutionError', `${image} could not be fitted: ${skipped.map(({ reason }) => reason).join('; ')}`, {
    image,
    skipped,
  });
