import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { VisibleTools } from '../../../shared/access/visible-tools.ts';
import type { Assay } from '../../../shared/assay.ts';
import { scorePictures } from '../../../shared/execute/score-pictures.ts';
import { readImageSource } from '../../../shared/iqa/image-source.ts';
import type { Iqa } from '../../../shared/iqa/iqa.ts';
import { IMAGE_PARAMETER, REFERENCE_PARAMETER, toolNameOf } from '../../../shared/iqa/to-definitions.ts';
import type { JsonSchema } from '../../../shared/kernel/json.ts';
import { invalidInput } from '../../../shared/kernel/zod-fault.ts';
import type { CallContext } from './call-context.ts';
import type { McpCaller } from './caller.ts';
import { HALLMARK_META, withoutHallmarks } from './hallmarks.ts';

const names = { type: 'array', items: { type: 'string', minLength: 1, maxLength: 64 }, maxItems: 64 };

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    image: IMAGE_PARAMETER,
    reference: REFERENCE_PARAMETER,
    tools: { ...names, description: 'metrics by name, such as ssim; chosen when absent' },
    distortions: { ...names, description: 'what to look for, such as blur or noise' },
    hallmark: { type: 'boolean', default: false, description: 'signs each score and the whole answer' },
  },
  required: ['image'],
  additionalProperties: false,
};

const outputSchema: JsonSchema = {
  type: 'object',
  properties: {
    image: { type: 'object' },
    reference: { type: 'object' },
    scores: { type: 'array', items: { type: 'object' } },
    overall: { type: ['object', 'null'], description: 'the predicted mean opinion, 1 to 5, with its interval' },
    charged_micros: { type: 'integer' },
  },
  required: ['image', 'scores', 'overall', 'charged_micros'],
};

/** `POST /v1/score` as a tool: all metrics that fit, chosen here, in one call. */
export const scoreTool: McpTool = {
  name: 'score',
  title: 'Score a picture',
  description:
    'Measures the quality of a picture with several metrics at once, compared with an undistorted reference when one is given, and predicts the opinion of people (1 to 5). Chooses the metrics unless tools or distortions name them.',
  inputSchema: inputSchema as McpTool['inputSchema'],
  outputSchema: outputSchema as McpTool['outputSchema'],
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
};

const Names = z.array(z.string().min(1).max(64)).max(64);
const ScoreArguments = z.strictObject({
  image: z.unknown(),
  reference: z.unknown().optional(),
  tools: Names.optional(),
  distortions: Names.optional(),
  hallmark: z.boolean().default(false),
});

/** Whether a caller sees it: this process scores pictures, and the key sees at least one metric. */
export const seesScore = (iqa: Iqa | undefined, visible: VisibleTools): iqa is Iqa =>
  iqa !== undefined &&
  (visible.only === undefined || iqa.catalogue.tools.some(({ name }) => visible.has(toolNameOf(name))));

export const callScore = async (
  assay: Assay,
  iqa: Iqa,
  { actor, requestId, once }: McpCaller,
  given: Readonly<Record<string, unknown>>,
  ctx: CallContext,
): Promise<CallToolResult> => {
  const parsed = ScoreArguments.safeParse(given);
  if (!parsed.success) throw invalidInput(parsed.error, given, 'the call of score');
  const { hallmark, tools, distortions, ...pictures } = parsed.data;
  const open = (source: unknown, field: string) => readImageSource(source, field, actor.tenant, iqa.readImage);
  const [image, reference] = await Promise.all([
    open(pictures.image, 'image'),
    pictures.reference === undefined ? undefined : open(pictures.reference, 'reference'),
  ]);
  const request = { image, reference, tools, distortions };
  const report = await scorePictures({ ...assay, iqa }, actor, request, ctx.mcpReq.signal, { requestId, once });
  const isSigned = hallmark || ctx.mcpReq._meta?.[HALLMARK_META] === true;
  const output = JSON.parse(JSON.stringify(isSigned ? report : withoutHallmarks(report))) as Record<string, unknown>;
  return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output };
};
