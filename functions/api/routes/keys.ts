import * as z from 'zod';
import { createKey, listKeys, revokeKey } from '../../../shared/access/api-keys.ts';
import { NewKey } from '../../../shared/model/key.ts';
import { checkedByVerb } from '../body.ts';
import type { Api } from '../env.ts';
import { nextPage, pageAfter, pageSchema } from '../page.ts';
import { done, reply, route } from '../route.ts';
import { IdParam, PageParams } from '../schemas.ts';

const tag = 'Keys';

const KeyBody = NewKey.extend({
  id: z.string(),
  tenant: z.string(),
  created_at: z.string(),
  revoked_at: z.string().optional(),
}).meta({ id: 'Key' });

const makeKey = route({
  method: 'post',
  path: '/v1/keys',
  audit: 'key-created',
  scope: 'tenant_admin',
  summary: 'Create a key; its text is shown only once',
  tag,
  secretAnswer: true,
  body: checkedByVerb(NewKey),
  answers: { 201: { description: 'The key', schema: KeyBody.extend({ key: z.string() }) } },
  faults: ['InvalidInput'],
  handle: async ({ api, actor, body }) => reply(201, await createKey(api, actor, body)),
});

const getKeys = route({
  method: 'get',
  path: '/v1/keys',
  scope: 'tenant_admin',
  summary: 'List keys',
  tag,
  query: PageParams,
  answers: { 200: { description: 'A page of keys', schema: pageSchema('keys', KeyBody) } },
  async handle({ api, actor, query }) {
    const { keys, next } = await listKeys(api, actor, pageAfter(query, 'keys'));
    return reply(200, { keys, ...nextPage(next, 'keys') });
  },
});

const deleteKey = route({
  method: 'delete',
  path: '/v1/keys/:id',
  audit: 'key-revoked',
  scope: 'tenant_admin',
  summary: 'Revoke a key',
  tag,
  params: IdParam,
  answers: { 204: { description: 'Revoked' } },
  faults: ['NotFound'],
  async handle({ api, actor, params: { id } }) {
    await revokeKey(api, actor, id);
    await forgetKey(api, id);
    return done;
  },
});

/** Makes a revocation effective: at once in this process, and within seconds at the edge. */
export const forgetKey = async ({ authenticate, publishKey }: Api, id: string): Promise<void> => {
  authenticate.forget(id);
  await publishKey?.(id);
};

export const keyRoutes = [makeKey, getKeys, deleteKey] as const;
