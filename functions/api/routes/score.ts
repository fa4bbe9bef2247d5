import * as z from 'zod';
import { paintMap } from '../../../shared/execute/image-tools.ts';
import { quoteScore, scorePictures } from '../../../shared/execute/score-pictures.ts';
import { Hallmark } from '../../../shared/iqa/hallmark-statement.ts';
import { chooseMapTool } from '../../../shared/iqa/heat-map.ts';
import type { Iqa } from '../../../shared/iqa/iqa.ts';
import { ReportHallmark } from '../../../shared/iqa/report-hallmark.ts';
import type { ScoreImageRequest } from '../../../shared/iqa/score.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { answerBytes, answerJson } from '../answer.ts';
import type { Api } from '../env.ts';
import { openPictures, pictures } from '../pictures.ts';
import { captureQuota } from '../quota-headers.ts';
import { stateOf } from '../request-state.ts';
import { reply, route } from '../route.ts';
import { answerLines, wantsLines } from '../score-lines.ts';

export const ScoreBody = z
  .object({
    tool: z.string(),
    version: z.string().optional(),
    raw: z.number().optional(),
    normalized: z
      .number()
      .optional()
      .meta({ description: 'Mean opinion on 1..5; absent for a tool that is not calibrated.' }),
    low: z.number().optional().meta({ description: '90 % of mean opinions lie between low and high.' }),
    high: z.number().optional(),
    limits: z.string().optional().meta({ description: 'What a no-reference tool does not see.' }),
    cached: z.boolean(),
    duration_ms: z.number(),
    warnings: z.array(z.string()),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
    hallmark: Hallmark.meta({ id: 'Hallmark' }).optional(),
  })
  .meta({ id: 'Score' });

const ScoreAnswer = z
  .object({
    image: z.object({ sha256: z.string(), width: z.int(), height: z.int(), format: z.string() }),
    reference: z.object({ sha256: z.string() }).optional(),
    scores: z.array(ScoreBody),
    overall: z
      .object({
        score: z.number().optional().describe('predicted mean opinion on 1..5; absent without a reference'),
        low: z.number().optional().describe('90 % of mean opinions lie between low and high'),
        high: z.number().optional(),
        word: z.enum(['excellent', 'good', 'fair', 'poor', 'bad']).optional().describe('our word for the score'),
        tools: z.array(z.string()).describe('the metrics it is computed from'),
        note: z.string().optional().describe('why there is no score'),
        mean: z.number().describe('deprecated: the mean of the calibrated scores'),
        spread: z.number().describe('deprecated: their standard deviation'),
      })
      .nullable()
      .meta({ description: 'Null when no calibrated tool succeeded.' }),
    hallmark: ReportHallmark.optional().meta({ description: 'Signs the picture, its scores and overall as shown.' }),
    charged_micros: z.int(),
  })
  .meta({ id: 'Scores' });

const score = route({
  method: 'post',
  path: '/v1/score',
  scope: 'invoke',
  summary:
    'Score a picture, sent as JSON or as multipart/form-data with image, reference, tools and distortions; with Accept: application/x-ndjson each score comes in a line when it is made, and the whole answer in the last',
  tag: 'Images',
  body: pictures,
  answers: { 200: { description: 'A score for each tool', schema: ScoreAnswer } },
  faults: ['InvalidInput', 'PaymentRequired', 'NotFound', 'TooLarge', 'Unavailable', 'ToolExecutionError'],
  async handle({ api, actor, requestId, body, context }) {
    const iqa = requireIqa(api);
    const asked = await openPictures(iqa, actor.tenant, body);
    const { max_micros: maxMicros, dry_run: isDry } = body;
    if (isDry) return answerJson(context, await quoteScore({ ...api, iqa }, actor, asked, maxMicros));
    const options = { requestId, metered: captureQuota(context), once: stateOf(context).once, maxMicros };
    const work = (onScore?: ScoreImageRequest['onScore']) =>
      scorePictures({ ...api, iqa }, actor, { ...asked, onScore }, () => context.req.raw.signal, options);
    return wantsLines(context) ? answerLines(context, api.log, work) : reply(200, await work());
  },
});

const scoreMap = route({
  method: 'post',
  path: '/v1/score/map',
  scope: 'invoke',
  summary:
    'Paint where a picture differs from its reference, as a PNG; Assay-Map-Low and Assay-Map-High are the values of full heat and of none',
  tag: 'Images',
  query: z.object({
    tool: z.string().optional().meta({ description: 'A metric that has a map: vsi, fsim, ssim, ssimc or gmsd.' }),
    legend: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: 'Adds a strip with the scale below the picture.' }),
  }),
  body: pictures,
  answers: {
    200: {
      description: 'The quality map over the picture',
      schema: z.string().meta({ format: 'binary' }),
      type: 'image/png',
    },
  },
  faults: ['InvalidInput', 'TooLarge', 'ToolExecutionError'],
  async handle({ api, actor, query, body, context }) {
    const iqa = requireIqa(api);
    const { image, reference, tools = [] } = await openPictures(iqa, actor.tenant, body);
    const tool = query.tool ?? chooseMapTool(tools);
    const request = { tool, image, reference, hasLegend: query.legend === 'true' };
    const { png, low, high } = await paintMap(iqa, actor, request, context.req.raw.signal);
    const response = answerBytes(context, Uint8Array.from(png), 'image/png');
    // The scale belongs to the metric and is the same for every picture.
    for (const [name, value] of Object.entries({ Tool: tool, Low: low, High: high }))
      response.headers.set(`Assay-Map-${name}`, String(value));
    return response;
  },
});

/** Scoring of pictures: with tools by name, by distortion, or the best available. */
export const scoreRoutes = [score, scoreMap] as const;

/** The image-quality part of the product, if this process has it. */
export const requireIqa = ({ iqa }: Api): Iqa => {
  if (iqa) return iqa;
  throw new Fault('Unavailable', 'this process does not score pictures');
};
