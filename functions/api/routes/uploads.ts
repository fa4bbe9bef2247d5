import * as z from 'zod';
import { requireScope } from '../../../shared/access/authenticate.ts';
import type { Assay } from '../../../shared/assay.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { uploadKey } from '../../../shared/kernel/item-keys.ts';
import { requestUpload, type SignPut } from '../../../shared/uploads/request-upload.ts';
import { uploadOf } from '../../../shared/uploads/score-upload.ts';
import { ImageKey, NewUpload, viewUpload } from '../../../shared/uploads/upload.ts';
import { answerJson } from '../answer.ts';
import { parseBy, readJson } from '../body.ts';
import { describe } from '../describe.ts';
import type { Routes } from '../env.ts';

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
    scores: z.array(z.record(z.string(), z.unknown())).optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'UploadScores' });

/** Pictures too large for a request: announced here, put at the address, scored by the event of their arrival. */
export const uploadRoutes: Routes = (app, assay) => {
  describe(app, {
    method: 'post',
    path: '/v1/uploads',
    summary: 'Announce a picture; put its bytes at the url, with exactly the headers',
    tag: 'Images',
    body: NewUpload,
    answers: { 201: { description: 'Where to put it', schema: Signed } },
    faults: ['InvalidInput', 'NotFound', 'Unavailable'],
  });
  describe(app, {
    method: 'get',
    path: '/v1/images/{key}/scores',
    summary: 'What became of an uploaded picture',
    tag: 'Images',
    params: z.object({ key: z.string() }),
    answers: {
      200: {
        description: 'Pending, scored, failed, or unscored when it was announced with score: false',
        schema: Scores,
      },
    },
    faults: ['InvalidInput', 'NotFound'],
  });

  app.post('/v1/uploads', async (c) => {
    requireScope(c.get('actor'), 'invoke');
    const { table, clock } = assay;
    return answerJson(
      c,
      await requestUpload({ table, clock, signPut: requireSignPut(assay) }, c.get('actor'), await readJson(c)),
      201,
    );
  });

  app.get('/v1/images/:key/scores', async (c) => {
    requireScope(c.get('actor'), 'read');
    const key = parseBy(ImageKey, c.req.param('key'), 'the picture’s key');
    const item = await assay.table.get(uploadKey(c.get('tenant'), key));
    if (!item) throw new Fault('NotFound', `there is no picture ${key}; announce it by POST /v1/uploads`, { key });
    return answerJson(c, viewUpload(uploadOf(item)));
  });
};

const requireSignPut = ({ signPut }: Assay): SignPut => {
  if (signPut) return signPut;
  throw new Fault('Unavailable', 'this process takes no uploads; send the picture to POST /v1/score');
};
