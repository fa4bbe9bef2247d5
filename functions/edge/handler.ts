import type { Hono } from 'hono';
import { type CloudFrontEdgeEvent, handle } from 'hono/lambda-edge';
import { createEdgeApp } from './app.ts';
import type { SnapshotOrigin } from './snapshot-origin.ts';
import type { EdgeStore } from './store.ts';

export type EdgeHandler = (event: CloudFrontEdgeEvent) => Promise<unknown>;

/** Lambda@Edge's handler. What cannot even be made a request of, such as a header in no encoding, goes on as well. */
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
