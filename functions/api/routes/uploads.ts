import * as z from 'zod';
import { Fault } from '../../../shared/kernel/errors.ts';
import { requestUpload, type SignPut, uploadedImage } from '../../../shared/uploads/request-upload.ts';
import { ImageKey, NewUpload } from '../../../shared/uploads/upload.ts';
import { checkedByVerb } from '../body.ts';
import type { Api } from '../env.ts';
import { reply, route } from '../route.ts';
import { ScoreBody } from './score.ts';

const Signed = z.object({
  key: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  expires_at: z.string(),
});
const Scores = z
  .object({
    key: z.string(),
    status: z.enum(['pending', 'scored', 'failed', 'unscored']),
    created_at: z.string(),
    attempts: z.int().optional(),
    image: z.object({ sha256: z.string(), width: z.int(), height: z.int(), format: z.string() }).optional(),
    scores: z.array(ScoreBody).optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'UploadScores' });

const announce = route({
  method: 'post',
  path: '/v1/uploads',
  scope: 'invoke',
  summary: 'Request an upload; then PUT the picture to the url, with exactly these headers',
  tag: 'Images',
  body: checkedByVerb(NewUpload),
  answers: { 201: { description: 'The url and headers for the upload', schema: Signed } },
  faults: ['InvalidInput', 'NotFound', 'PaymentRequired', 'Unavailable'],
  async handle({ api, actor, body }) {
    return reply(201, await requestUpload({ ...api, signPut: requireSignPut(api) }, actor, body));
  },
});

const getScores = route({
  method: 'get',
  path: '/v1/images/:key/scores',
  scope: 'read',
  summary: 'The state of an uploaded picture',
  tag: 'Images',
  params: z.object({ key: ImageKey }),
  answers: {
    200: {
      description: 'Pending, scored, failed, or unscored when it was requested with score: false',
      schema: Scores,
    },
  },
  faults: ['InvalidInput', 'NotFound'],
  async handle({ api, actor, params: { key } }) {
    return reply(200, await uploadedImage(api, actor, key));
  },
});

/**
 * Uploads for pictures too large for a request: requested here, sent to the returned address, and scored on arrival.
 */
export const uploadRoutes = [announce, getScores] as const;

const requireSignPut = ({ signPut }: Api): SignPut => {
  if (signPut) return signPut;
  throw new Fault('Unavailable', 'this process takes no uploads; send the picture to POST /v1/score');
};
