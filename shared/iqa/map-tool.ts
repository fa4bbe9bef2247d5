import * as z from 'zod';
import { Fault } from '../kernel/errors.ts';
import type { Handler } from '../kernel/ports.ts';
import { invalidInput } from '../kernel/zod-fault.ts';
import type { ToolDefinition } from '../model/tool.ts';
import type { EncodeOptions, IqaEngine } from './engine.ts';
import { MAP_SCALES } from './heat-map.ts';
import { type ReadImage, readImageSource } from './image-source.ts';
import { paintQualityMap } from './paint-map.ts';
import type { Pixels } from './pixels.ts';
import { shrinkTo } from './shrink.ts';
import { IMAGE_PARAMETER, REFERENCE_PARAMETER } from './to-definitions.ts';

const TOOLS = Object.keys(MAP_SCALES) as [string, ...string[]];

/** The registry's definition of `score_map`; it answers with MCP content, so it has no output schema. */
export const MAP_DEFINITION: ToolDefinition = {
  name: 'score_map',
  description:
    'Shows where a picture lost quality compared with its undistorted reference: a heat map, grey where they look alike, glowing where they differ, on a fixed scale with a legend. Answers with a picture.',
  type: 'function',
  handler: 'score_map',
  implementation: { type: 'internal', handler: 'score_map' },
  version: '1.0.0',
  parameters: {
    type: 'object',
    properties: {
      image: IMAGE_PARAMETER,
      reference: REFERENCE_PARAMETER,
      metric: { type: 'string', enum: TOOLS, default: TOOLS[0], description: 'the metric whose map is painted' },
    },
    required: ['image', 'reference'],
    additionalProperties: false,
  },
  category: 'image quality',
  tags: ['image', 'quality', 'map', 'difference'],
  permission: 'safe',
  scenarios: ['media processing'],
  intents: ['compare', 'analyze'],
  cacheable: true,
  price_micros: 500,
  timeout_seconds: 300,
};

const MapArguments = z.strictObject({
  image: z.unknown(),
  reference: z.unknown(),
  metric: z.enum(TOOLS).default(TOOLS[0]),
});

/** The internal handler `score_map`. */
export const mapHandler = ({
  engine,
  readImage,
}: {
  readonly engine: IqaEngine;
  readonly readImage: ReadImage;
}): Handler => ({
  permission: 'safe',
  async run(args, { tenant, signal }) {
    const parsed = MapArguments.safeParse(args);
    if (!parsed.success) throw invalidInput(parsed.error, args, 'the call of score_map');
    const [image, reference] = await Promise.all([
      readImageSource(parsed.data.image, 'image', tenant, readImage),
      readImageSource(parsed.data.reference, 'reference', tenant, readImage),
    ]);
    const request = { tool: parsed.data.metric, image, reference, hasLegend: true };
    const { pixels, tool, low, high } = await paintQualityMap(engine, request, signal);
    const { bytes, format } = await shrink(engine, pixels);
    const text = `${tool} map: ${low} glows fully, ${high} is no loss`;
    return {
      content: [
        { type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType: `image/${format}` },
        { type: 'text', text },
      ],
    };
  },
});

// The picture goes into the model's context; larger ones would be returned as links.
const MAX_BYTES = 12_000;
const SIDES = [640, 448, 320, 224, 160];

const shrink = async (engine: IqaEngine, pixels: Pixels) => {
  const format: EncodeOptions['format'] = 'webp';
  for (const side of SIDES) {
    const bytes = await engine.encode(shrinkTo(pixels, side), { format, quality: 60 });
    if (bytes.length <= MAX_BYTES) return { bytes, format };
  }
  throw new Fault(
    'ToolExecutionError',
    `the map is over ${MAX_BYTES} bytes at every size; get it from POST /v1/score/map`,
  );
};
