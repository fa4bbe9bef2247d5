import * as z from 'zod';
import { reply, route } from '../route.ts';

const getHealth = route({
  method: 'get',
  path: '/healthz',
  scope: 'public',
  summary: 'Health check',
  tag: 'Operation',
  answers: { 200: { description: 'The server answers', schema: z.object({ status: z.literal('ok') }) } },
  handle: () => reply(200, { status: 'ok' }),
});

/** Routes of every server that need no key. */
export const serverRoutes = [getHealth] as const;
