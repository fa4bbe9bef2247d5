import * as z from 'zod';
import { createKey, listKeys, revokeKey } from '../../../shared/access/api-keys.ts';
import { requireScope } from '../../../shared/access/authenticate.ts';
import { NewKey } from '../../../shared/model/key.ts';
import { parseBy, readJson } from '../body.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { describe } from '../describe.ts';
import type { Routes } from '../env.ts';
import { PageQuery } from '../schemas.ts';

const KeyBody = NewKey.extend({
  id: z.string(),
  tenant: z.string(),
  created_at: z.string(),
  revoked_at: z.string().optional(),
}).meta({ id: 'Key' });

export const keyRoutes: Routes = (app, assay) => {
  const tag = 'Keys';
  const id = z.object({ id: z.string() });
  describe(app, {
    method: 'post',
    path: '/v1/keys',
    summary: 'Make a key; its text is shown this once',
    tag,
    body: NewKey,
    answers: { 201: { description: 'The key', schema: KeyBody.extend({ key: z.string() }) } },
    faults: ['InvalidInput'],
  });
  describe(app, {
    method: 'get',
    path: '/v1/keys',
    summary: 'List keys',
    tag,
    query: PageQuery,
    answers: {
      200: {
        description: 'A page of keys',
        schema: z.object({ keys: z.array(KeyBody), next_cursor: z.string().optional() }),
      },
    },
  });
  describe(app, {
    method: 'delete',
    path: '/v1/keys/{id}',
    summary: 'Revoke a key',
    tag,
    params: id,
    answers: { 204: { description: 'Revoked' } },
    faults: ['NotFound'],
  });

  app.post('/v1/keys', async (c) => {
    requireScope(c.var.actor, 'admin');
    return c.json(await createKey(assay, await readJson(c), c.var.tenant), 201);
  });

  app.get('/v1/keys', async (c) => {
    requireScope(c.var.actor, 'admin');
    const { limit, cursor } = parseBy(PageQuery, c.req.query(), 'the query');
    const after = cursor === undefined ? {} : { after: readCursor(cursor, 'keys') };
    const { keys, next } = await listKeys(assay.table, c.var.tenant, { limit, ...after });
    return c.json({ keys, ...(next === undefined ? {} : { next_cursor: writeCursor(next, 'keys') }) });
  });

  app.delete('/v1/keys/:id', async (c) => {
    requireScope(c.var.actor, 'admin');
    await revokeKey(assay, c.var.tenant, c.req.param('id'));
    assay.authenticate.forget(c.req.param('id'));
    return c.body(null, 204);
  });
};
