/** Where a picture can be scored: where its event arrived, in the inference container, or on a machine with a GPU. */
export type UploadRoute = 'here' | 'function' | 'batch';

/** What scoring a picture takes. */
export interface UploadWork {
  /** Of the picture and its reference together. */
  readonly megapixels: number;
  /** How many of its tools run a model file. */
  readonly learnedTools: number;
}

export interface RouteLimits {
  /** The largest pictures for a small function, which runs no models. */
  readonly hereMegapixels: number;
  /** The largest for a large one; beyond it memory becomes short. */
  readonly functionMegapixels: number;
  /** Megapixels times models that processors finish within a function's 15 minutes, with room to spare. */
  readonly functionModelMegapixels: number;
}

export const routeLimits: RouteLimits = {
  hereMegapixels: 32,
  functionMegapixels: 160,
  functionModelMegapixels: 48,
};

/** Decides by megapixels and tools where a picture is scored, of the places there are. */
export const routeUpload = (
  { megapixels, learnedTools }: UploadWork,
  places: ReadonlySet<UploadRoute>,
  limits = routeLimits,
): UploadRoute => preferred(megapixels, learnedTools, limits).find((place) => places.has(place)) ?? 'here';

/** From the smallest place that is large enough on to larger ones, then to the largest of those too small. */
const preferred = (megapixels: number, learnedTools: number, limits: RouteLimits): readonly UploadRoute[] => {
  if (learnedTools === 0 && megapixels <= limits.hereMegapixels) return ['here'];
  const fits = megapixels <= limits.functionMegapixels && megapixels * learnedTools <= limits.functionModelMegapixels;
  return fits ? ['function', 'batch'] : ['batch', 'function'];
};
