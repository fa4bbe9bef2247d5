import type { Hono } from 'hono';
import { type CloudFrontEdgeEvent, handle } from 'hono/lambda-edge';
import { createEdgeApp } from './app.ts';
import type { SnapshotOrigin } from './snapshot-origin.ts';
import type { EdgeStore } from './store.ts';

export type EdgeHandler = (event: CloudFrontEdgeEvent) => Promise<unknown>;

/** Lambda@Edge's handler. Events that cannot be parsed as a request are passed to the origin. */
export const createEdgeHandler = (storeOf: (place: SnapshotOrigin) => EdgeStore): EdgeHandler => {
  const serve = handle(createEdgeApp(storeOf) as unknown as Hono);
  return async (event) => {
    try {
      return await serve(event);
    } catch (thrown) {
      console.error(JSON.stringify({ level: 'error', message: 'passed to the origin', error: String(thrown) }));
      return event.Records[0]?.cf.request;
    }
  };
};
