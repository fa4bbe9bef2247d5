import * as z from 'zod';
import type { Actor } from '../../../shared/model/key.ts';
import { EVENT_TYPES, eventsFor, latestEvent } from '../../../shared/registry/events.ts';
import { answerJson } from '../answer.ts';
import { parseBy } from '../body.ts';
import type { Api, ApiContext } from '../env.ts';
import { streamEvents } from '../open-streams.ts';
import { route } from '../route.ts';

const LOOK_MS = 200;
const HEARTBEAT_MS = 15_000;
/** Clients reconnect by themselves; a stream that stayed open forever would outlive its key. */
const LONGEST_MS = 600_000;
const MAX_AT_ONCE = 100;

const Query = z.object({
  after: z.coerce.number().int().nonnegative().optional().meta({
    description: 'The id to continue after; `Last-Event-ID` takes precedence. Without either, a stream starts now.',
  }),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

const EventBody = z
  .object({
    id: z.string(),
    type: z.enum(EVENT_TYPES),
    tenant: z.string(),
    at: z.string(),
    tool: z.string(),
    version: z.string().optional(),
    call_id: z.string().optional(),
    reason: z.string().optional(),
  })
  .meta({ id: 'Event' });

/** Changes of tools, as a stream that can be resumed where it broke. */
const watchEvents = route({
  method: 'get',
  path: '/v1/events',
  scope: 'read',
  summary: 'Changes of tools: a stream, or a list when JSON is requested',
  tag: 'Events',
  query: Query,
  answers: {
    200: { description: 'Server-sent events, each with its id', schema: EventBody, type: 'text/event-stream' },
  },
  faults: ['InvalidInput', 'RateLimited'],
  async handle({ api, actor, query, context }) {
    const { limit } = query;
    const after = lastSeen(context) ?? query.after;
    await api.recorder.flush();
    if (wantsJson(context)) {
      const { events, lastId } = await eventsFor(api, actor, after ?? 0, limit);
      return answerJson(context, { events, last_id: String(lastId) });
    }
    return stream(context, api, actor, after ?? (await latestEvent(api.table, actor.tenant)));
  },
});

export const eventRoutes = [watchEvents] as const;

const lastSeen = (c: ApiContext): number | undefined => {
  const id = c.req.header('last-event-id');
  return id === undefined ? undefined : parseBy(Query, { after: id }, 'the header Last-Event-ID').after;
};

const wantsJson = (c: ApiContext): boolean => {
  const accept = c.req.header('accept') ?? '';
  return accept.includes('application/json') && !accept.includes('text/event-stream');
};

const stream = (c: ApiContext, api: Api, actor: Actor, from: number): Response =>
  streamEvents(c, api, actor, async (out) => {
    const { table, clock } = api;
    const ends = clock.now() + LONGEST_MS;
    let last = from;
    let quietSince = clock.now();
    await out.write(': connected\n\n');
    while (!out.aborted && !out.closed && clock.now() < ends) {
      const { events, lastId } = await eventsFor({ table }, actor, last, MAX_AT_ONCE);
      for (const event of events) await out.writeSSE({ id: event.id, event: event.type, data: JSON.stringify(event) });
      const passed = lastId - last;
      last = lastId;
      if (events.length > 0) quietSince = clock.now();
      else if (clock.now() - quietSince >= HEARTBEAT_MS) {
        await out.write(': still here\n\n');
        quietSince = clock.now();
      }
      if (passed < MAX_AT_ONCE) await out.sleep(LOOK_MS);
    }
  });
