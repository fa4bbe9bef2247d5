import { streamSSE } from 'hono/streaming';
import * as z from 'zod';
import { requireScope } from '../../../shared/access/authenticate.ts';
import type { Assay } from '../../../shared/assay.ts';
import { type ChangeEvent, EVENT_TYPES, latestEvent, readEvents } from '../../../shared/registry/events.ts';
import { parseBy } from '../body.ts';
import { describe } from '../describe.ts';
import type { ApiContext, Routes } from '../env.ts';

const LOOK_MS = 200;
const HEARTBEAT_MS = 15_000;
/** Clients open a stream again by themselves; one that stays open for ever would outlive its key. */
const LONGEST_MS = 600_000;
const MOST_AT_ONCE = 100;

const Query = z.object({
  after: z.coerce.number().int().nonnegative().optional().meta({
    description: 'The id to go on after; `Last-Event-ID` comes first. Without either, a stream begins now.',
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

/** What happens to the tools, as a stream that can be taken up again where it broke. */
export const eventRoutes: Routes = (app, assay) => {
  describe(app, {
    method: 'get',
    path: '/v1/events',
    summary: 'What happens to the tools: a stream, or a list when JSON is asked for',
    tag: 'Events',
    query: Query,
    answers: {
      200: { description: 'Server-sent events, each with its id', schema: EventBody, type: 'text/event-stream' },
    },
    faults: ['InvalidInput'],
  });

  app.get('/v1/events', async (c) => {
    requireScope(c.var.actor, 'read');
    const { after, limit } = parseBy(Query, { ...c.req.query(), ...lastSeen(c) }, 'the query');
    await assay.recorder.flush();
    if (wantsJson(c)) {
      const events = await readEvents(assay.table, c.var.tenant, after ?? 0, limit);
      return c.json({ events: events.filter(seenBy(c)), last_id: events.at(-1)?.id ?? String(after ?? 0) });
    }
    return stream(c, assay, after ?? (await latestEvent(assay.table, c.var.tenant)));
  });
};

const lastSeen = (c: ApiContext): { readonly after?: string } => {
  const id = c.req.header('last-event-id');
  return id === undefined ? {} : { after: id };
};

const wantsJson = (c: ApiContext): boolean => {
  const accept = c.req.header('accept') ?? '';
  return accept.includes('application/json') && !accept.includes('text/event-stream');
};

/** A key confined to some tools hears of no others. */
const seenBy =
  (c: ApiContext) =>
  ({ tool }: ChangeEvent): boolean =>
    c.var.actor.tools?.has(tool) ?? true;

const stream = (c: ApiContext, { table, clock }: Assay, from: number): Response => {
  // Proxies that gather an answer before they pass it on would hold the stream back.
  c.header('x-accel-buffering', 'no');
  const isSeen = seenBy(c);
  const { tenant } = c.var;
  return streamSSE(c, async (out) => {
    const ends = clock.now() + LONGEST_MS;
    let last = from;
    let quietSince = clock.now();
    await out.write(': connected\n\n');
    while (!out.aborted && !out.closed && clock.now() < ends) {
      const events = await readEvents(table, tenant, last, MOST_AT_ONCE);
      for (const event of events.filter(isSeen))
        await out.writeSSE({ id: event.id, event: event.type, data: JSON.stringify(event) });
      last = Number(events.at(-1)?.id ?? last);
      if (events.length > 0) quietSince = clock.now();
      else if (clock.now() - quietSince >= HEARTBEAT_MS) {
        await out.write(': still here\n\n');
        quietSince = clock.now();
      }
      if (events.length < MOST_AT_ONCE) await out.sleep(LOOK_MS);
    }
  });
};
