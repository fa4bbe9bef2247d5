import type { IqaEngine } from './engine.ts';
import { heatMap, type MapScale, scaleFor } from './heat-map.ts';
import { withLegend } from './map-legend.ts';
import { type ImageFile, openImages } from './open-images.ts';
import type { Pixels } from './pixels.ts';

export interface MapRequest {
  /** The tenant whose share of decoding memory is used. */
  readonly tenant?: string | undefined;
  readonly tool: string;
  readonly image: ImageFile;
  readonly reference?: ImageFile | undefined;
  /** Whether to add a strip with the colour scale below the picture. */
  readonly hasLegend?: boolean | undefined;
}

export interface PaintedMap extends MapScale {
  readonly tool: string;
  readonly pixels: Pixels;
}

/** Paints where a picture lost quality compared with its reference, on the metric's own scale. */
export const paintQualityMap = async (
  engine: IqaEngine,
  { tool, image, reference, tenant, hasLegend }: MapRequest,
  signal?: AbortSignal,
): Promise<PaintedMap> => {
  const images = openImages(engine, image, reference, signal, tenant);
  try {
    const { picture, reference: other } = await images.decode();
    const map = await engine.map({ tool, picture, reference: other, signal });
    const scale = scaleFor(tool);
    const painted = heatMap(picture.pixels, map, scale);
    return { tool, ...scale, pixels: hasLegend ? withLegend(painted, tool, scale) : painted };
  } finally {
    images.close();
  }
};
