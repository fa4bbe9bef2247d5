import * as z from 'zod';
import { requireScope } from '../../../shared/access/authenticate.ts';
import type { Assay } from '../../../shared/assay.ts';
import { scorePriced } from '../../../shared/execute/billing/score-priced.ts';
import type { Remaining } from '../../../shared/execute/meter.ts';
import { heatMap } from '../../../shared/iqa/heat-map.ts';
import { ImageSource, readImageSource } from '../../../shared/iqa/image-source.ts';
import type { Iqa } from '../../../shared/iqa/iqa.ts';
import { type ImageFile, openImages } from '../../../shared/iqa/open-images.ts';
import type { ScoreImageRequest } from '../../../shared/iqa/score.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { answerJson } from '../answer.ts';
import { parseBy, readBody } from '../body.ts';
import { describe } from '../describe.ts';
import type { ApiContext, Routes } from '../env.ts';
import { answerLines, wantsLines } from '../score-lines.ts';

const Names = z.array(z.string().min(1).max(64)).max(64);
const ScoreBody = z
  .strictObject({
    image: ImageSource,
    reference: ImageSource.optional(),
    tools: Names.optional(),
    distortions: Names.optional(),
  })
  .meta({ id: 'ScoreRequest' });

const ScoreAnswer = z
  .object({
    image: z.object({ sha256: z.string(), width: z.int(), height: z.int(), format: z.string() }),
    reference: z.object({ sha256: z.string() }).optional(),
    scores: z.array(
      z.object({
        tool: z.string(),
        version: z.string().optional(),
        raw: z.number().optional(),
        normalized: z.number().optional(),
        cached: z.boolean(),
        duration_ms: z.number(),
        warnings: z.array(z.string()),
        error: z.object({ code: z.string(), message: z.string() }).optional(),
        hallmark: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
    overall: z.record(z.string(), z.unknown()).nullable(),
    charged_micros: z.int(),
  })
  .meta({ id: 'Scores' });

/** Scoring pictures: with tools by name, by distortion, or with the best that are at hand. */
export const scoreRoutes: Routes = (app, assay) => {
  describe(app, {
    method: 'post',
    path: '/v1/score',
    summary:
      'Score a picture, sent as JSON or as multipart/form-data with image, reference, tools and distortions; with Accept: application/x-ndjson each score comes in a line when it is made, and the whole answer in the last',
    tag: 'Images',
    body: ScoreBody,
    answers: { 200: { description: 'A score for each tool', schema: ScoreAnswer } },
    faults: ['InvalidInput', 'PaymentRequired', 'NotFound', 'TooLarge', 'Unavailable', 'ToolExecutionError'],
  });
  describe(app, {
    method: 'post',
    path: '/v1/score/map',
    summary: 'Paint where a picture differs from its reference, as a PNG',
    tag: 'Images',
    query: z.object({ tool: z.string().default('ssim') }),
    body: ScoreBody,
    answers: { 200: { description: 'The quality map over the picture', schema: z.string(), type: 'image/png' } },
    faults: ['InvalidInput', 'TooLarge', 'ToolExecutionError'],
  });

  app.post('/v1/score', async (c) => {
    requireScope(c.get('actor'), 'invoke');
    const iqa = requireIqa(assay);
    const request = { tenant: c.get('tenant'), signal: c.req.raw.signal, ...(await readPictures(c, iqa)) };
    const options = { requestId: c.get('requestId'), metered: (left: Remaining) => c.set('remaining', left) };
    const score = (onScore?: ScoreImageRequest['onScore']) =>
      scorePriced(assay, iqa, c.get('actor'), { ...request, onScore }, options);
    return wantsLines(c) ? answerLines(c, assay.log, score) : answerJson(c, await score());
  });

  app.post('/v1/score/map', async (c) => {
    requireScope(c.get('actor'), 'invoke');
    const iqa = requireIqa(assay);
    const { image, reference } = await readPictures(c, iqa);
    const images = openImages(iqa.engine, image, reference, c.req.raw.signal);
    try {
      const { picture, reference: other } = await images.decode();
      const tool = c.req.query('tool') ?? 'ssim';
      const map = await iqa.engine.map({ tool, picture, ...(other ? { reference: other } : {}) });
      const png = await iqa.engine.encode(heatMap(picture.pixels, map), { format: 'png' });
      return c.body(Uint8Array.from(png).buffer, 200, { 'content-type': 'image/png' });
    } finally {
      images.close();
    }
  });
};

/** The image side of the product, where this process has it. */
export const requireIqa = ({ iqa }: Assay): Iqa => {
  if (iqa) return iqa;
  throw new Fault('Unavailable', 'this process does not score pictures');
};

interface Pictures {
  readonly image: ImageFile;
  readonly reference?: ImageFile | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly distortions?: readonly string[] | undefined;
}

const readPictures = async (c: ApiContext, { readImage }: Iqa): Promise<Pictures> => {
  if (/^multipart\/form-data/i.test(c.req.header('content-type') ?? '')) return readForm(c);
  const { image, reference, tools, distortions } = await readBody(c, ScoreBody);
  const tenant = c.get('tenant');
  return {
    image: await readImageSource(image, 'image', tenant, readImage),
    reference: reference && (await readImageSource(reference, 'reference', tenant, readImage)),
    tools,
    distortions,
  };
};

const readForm = async (c: ApiContext): Promise<Pictures> => {
  const form = await c.req.formData().catch((cause: unknown) => {
    throw new Fault(
      'InvalidInput',
      'the multipart body cannot be read; send the fields image, reference, tools, distortions',
      {},
      { cause },
    );
  });
  const image = await fileOf(form, 'image');
  if (!image) throw new Fault('InvalidInput', 'the form has no file in its field image', { field: 'image' });
  return {
    image,
    reference: await fileOf(form, 'reference'),
    tools: wordsOf(form, 'tools'),
    distortions: wordsOf(form, 'distortions'),
  };
};

const fileOf = async (form: FormData, field: string): Promise<ImageFile | undefined> => {
  const value = form.get(field);
  if (value === null || value === '') return undefined;
  if (typeof value === 'string') throw new Fault('InvalidInput', `the field ${field} must be a file`, { field });
  return { bytes: new Uint8Array(await value.arrayBuffer()), name: value.name || field };
};

const wordsOf = (form: FormData, field: string): readonly string[] | undefined => {
  const given = form.getAll(field).flatMap((value) => (typeof value === 'string' ? value.split(',') : []));
  const words = given.map((word) => word.trim()).filter((word) => word !== '');
  return words.length === 0 ? undefined : parseBy(Names, words, `the field ${field}`);
};
