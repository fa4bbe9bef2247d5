import type { JsonSchema } from '../kernel/json.ts';
import type { IqaBlock } from '../model/iqa.ts';
import type { ToolDefinition } from '../model/tool.ts';
import type { IqaTool } from './metadata.ts';

/** A metric's tool name in the registry, where a plus sign is spelt out. */
export const toolNameOf = (identifier: string): string => identifier.replaceAll('+', '-plus');

/** The registry's definitions of image-quality tools: tools with an `iqa` block. */
export const toDefinitions = (tools: readonly IqaTool[]): readonly ToolDefinition[] => tools.map(toDefinition);

export const toDefinition = (tool: IqaTool): ToolDefinition => ({
  name: toolNameOf(tool.name),
  description: describe(tool),
  type: 'function',
  handler: 'iqa',
  implementation: { type: 'internal', handler: 'iqa' },
  version: tool.version ?? '1.0.0',
  parameters: parametersOf(tool),
  output_schema: OUTPUT,
  category: 'image quality',
  tags: tagsOf(tool),
  permission: 'safe',
  scenarios: ['media processing', 'data analysis'],
  intents: ['measure', 'compare'],
  cacheable: true,
  timeout_seconds: 300,
  price_micros: tool.price_micros,
  iqa: toIqaBlock(tool),
});

const describe = (tool: IqaTool): string => {
  const mode =
    tool.type === 'FR'
      ? 'Compares a picture with its undistorted reference of the same size.'
      : 'Judges a picture alone, without a reference.';
  const direction = `${tool.lower_better ? 'Lower' : 'Higher'} raw scores are better${rangeText(tool)}; normalized is ${tool.logistic_params ? 'mean opinion, 1 (worst) to 5 (best)' : 'absent: it was never compared with opinions'}.`;
  const strengths = tool.strengths.length === 0 ? [] : [`Strong at: ${tool.strengths.join(', ').toLowerCase()}.`];
  const what = tool.description === undefined ? [] : [`${upperFirst(tool.description)}.`];
  return [`${tool.title ?? tool.name} (image quality).`, ...what, mode, direction, ...strengths].join(' ');
};

const rangeText = ({ range }: IqaTool): string => {
  if (!range) return '';
  const [low, high] = range;
  if (low !== null && high !== null) return `, usually between ${low} and ${high}`;
  if (low !== null) return `, from ${low} up`;
  return high === null ? '' : `, up to ${high}`;
};

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const tagsOf = (tool: IqaTool): string[] => [
  'image',
  'quality',
  'iqa',
  tool.type === 'FR' ? 'full-reference' : 'no-reference',
  ...tool.strengths.map((strength) => strength.toLowerCase()),
  ...(tool.measures && tool.measures !== 'quality' ? [tool.measures] : []),
];

const toIqaBlock = ({
  type,
  strengths,
  logistic_params,
  lower_better,
  range,
  graph,
  preprocessing,
  tolerance,
}: IqaTool): IqaBlock => ({
  type,
  strengths: [...strengths],
  logistic_params,
  lower_better,
  range,
  graph,
  preprocessing,
  tolerance,
});

const picture = (what: string): JsonSchema => ({
  description: `${what}: a key in the image store, or the file's bytes in base64`,
  oneOf: [
    {
      type: 'object',
      properties: { key: { type: 'string', minLength: 1, description: 'key of an uploaded picture' } },
      required: ['key'],
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: {
        base64: {
          type: 'string',
          minLength: 1,
          description: 'a JPEG, PNG, WebP, AVIF, TIFF, GIF, BMP, PPM or PGM file',
        },
      },
      required: ['base64'],
      additionalProperties: false,
    },
  ],
});

export const IMAGE_PARAMETER = picture('the picture to judge');
export const REFERENCE_PARAMETER = picture('the undistorted picture to compare with');

const parametersOf = ({ type }: IqaTool): JsonSchema => ({
  type: 'object',
  properties: type === 'FR' ? { image: IMAGE_PARAMETER, reference: REFERENCE_PARAMETER } : { image: IMAGE_PARAMETER },
  required: type === 'FR' ? ['image', 'reference'] : ['image'],
  additionalProperties: false,
});

const OUTPUT: JsonSchema = {
  type: 'object',
  properties: {
    tool: { type: 'string' },
    version: { type: 'string' },
    raw: { type: 'number', description: "the metric's own score" },
    normalized: {
      type: 'number',
      minimum: 1,
      maximum: 5,
      description: '1 is worst, 5 is best; absent for a tool that was never compared with opinions',
    },
    image: {
      type: 'object',
      properties: {
        sha256: { type: 'string' },
        width: { type: 'integer' },
        height: { type: 'integer' },
        format: { type: 'string' },
      },
      required: ['sha256', 'width', 'height', 'format'],
    },
    cached: { type: 'boolean' },
    warnings: { type: 'array', items: { type: 'string' } },
    hallmark: { type: 'object', description: 'signature over the score' },
  },
  required: ['tool', 'version', 'raw', 'image', 'warnings'],
};
