import type { Context } from 'hono';
import type { Callback, CloudFrontRequest } from 'hono/lambda-edge';
import { Hono } from 'hono/tiny';
import { errorAnswer } from '../../shared/kernel/error-answer.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { givenRequestId } from '../../shared/kernel/request-id.ts';
import type { SerializedAnswer } from '../../shared/registry/entry.ts';
import { httpAnswer, type LookupAnswer } from '../../shared/registry/lookup/answer.ts';
import type { CatalogView } from '../../shared/registry/lookup/definitions.ts';
import { BEAT_HEADER } from '../../shared/registry/published.ts';
import { admitViewer } from './admit-viewer.ts';
import { createLookups } from './lookups.ts';
import { type SnapshotOrigin, snapshotOrigin } from './snapshot-origin.ts';
import type { EdgeStore } from './store.ts';

type Env = { Bindings: { readonly request: CloudFrontRequest; readonly callback: Callback } };
export type EdgeContext = Context<Env>;
export type EdgeApp = Hono<Env>;

/** Answers from the published data; undefined passes the request to the origin. */
export type Lookup = (c: EdgeContext, view: CatalogView) => SerializedAnswer | LookupAnswer | undefined;

// CloudFront accepts 1 MB for a generated answer, including headers.
const MAX_BYTES = 900_000;

/** The edge: answers lookups from memory, and passes all other requests on unchanged. */
export const createEdgeApp = (storeOf: (place: SnapshotOrigin) => EdgeStore): EdgeApp => {
  const app = new Hono<Env>();
  for (const [path, lookup] of Object.entries(createLookups()))
    app.get(path, (c) => serve(c, () => attempt(c, storeOf, lookup)));
  app.notFound((c) => pass(c));
  return app;
};

const serve = async (c: EdgeContext, work: () => Promise<SerializedAnswer | undefined>): Promise<Response> => {
  const requestId = givenRequestId(c.req.header('x-request-id')) ?? crypto.randomUUID();
  try {
    const answer = c.req.method === 'GET' ? await work() : undefined;
    if (answer === undefined || !isSmall(answer.body)) return pass(c);
    const { status, body, headers } = httpAnswer(answer, c.req.header('if-none-match'));
    return new Response(body, { status, headers: { ...headers, 'x-request-id': requestId } });
  } catch (thrown) {
    if (!(thrown instanceof Fault)) return passAfter(c, thrown);
    const { status, body, headers } = errorAnswer(thrown, requestId);
    return new Response(body, { status, headers: { ...headers, 'x-request-id': requestId } });
  }
};

const attempt = async (
  c: EdgeContext,
  storeOf: (place: SnapshotOrigin) => EdgeStore,
  lookup: Lookup,
): Promise<SerializedAnswer | undefined> => {
  const place = snapshotOrigin(c.env.request);
  if (!place) return undefined;
  const store = storeOf(place);
  // Concurrently, so that outdated files are fetched in one round trip.
  const [actor, currency] = await Promise.all([admitViewer(c, store), store.currency()]);
  if (currency !== 'answer') {
    c.env.request.headers[BEAT_HEADER] = [{ key: BEAT_HEADER, value: 'due' }];
    return undefined;
  }
  const catalog = actor && (await store.catalog(actor.tenant));
  return catalog && lookup(c, { catalog, confined: actor.tools });
};

const isSmall = (body: string): boolean =>
  body.length * 3 <= MAX_BYTES || (body.length <= MAX_BYTES && Buffer.byteLength(body) <= MAX_BYTES);

/** Passes the request to the origin. */
const pass = (c: EdgeContext): Response => {
  c.env.callback(null, c.env.request);
  return new Response(null);
};

// The origin can answer everything that the edge can, so an error here must not reach the caller.
const passAfter = (c: EdgeContext, thrown: unknown): Response => {
  const { message, stack } = thrown as Error;
  console.error(JSON.stringify({ level: 'error', message: 'passed to the origin', error: message, stack }));
  return pass(c);
};
