/** Where an image can be scored: where its event arrived, in the inference container, or on a machine with a GPU. */
export type UploadRoute = 'here' | 'function' | 'batch';

/** The work of scoring an image. */
export interface UploadWork {
  /** The sum over the image and its reference. */
  readonly megapixels: number;
  /** How many of its tools run a model file. */
  readonly learnedTools: number;
}

export interface RouteLimits {
  /** The largest images for a small function, which runs no models. */
  readonly hereMegapixels: number;
  /** The largest images for a large function; larger ones exceed its memory. */
  readonly functionMegapixels: number;
  /** Megapixels times models that a function can process within its 15 minutes, with a margin. */
  readonly functionModelMegapixels: number;
}

export const routeLimits: RouteLimits = {
  hereMegapixels: 32,
  functionMegapixels: 160,
  functionModelMegapixels: 48,
};

/** Decides by megapixels and tools which of the available places scores an image. */
export const routeUpload = (
  { megapixels, learnedTools }: UploadWork,
  places: ReadonlySet<UploadRoute>,
  limits = routeLimits,
): UploadRoute => preferred(megapixels, learnedTools, limits).find((place) => places.has(place)) ?? 'here';

/** The preferred place, then the alternatives: larger ones first, then ones that are too small. */
const preferred = (megapixels: number, learnedTools: number, limits: RouteLimits): readonly UploadRoute[] => {
  if (learnedTools === 0 && megapixels <= limits.hereMegapixels) return ['here'];
  const fits = megapixels <= limits.functionMegapixels && megapixels * learnedTools <= limits.functionModelMegapixels;
  return fits ? ['function', 'batch'] : ['batch', 'function'];
};
