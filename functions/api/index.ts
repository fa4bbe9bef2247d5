import { createApp } from './app.ts';
import { behindCloudFront } from './behind-cloudfront.ts';
import { apiDeps } from './deps.ts';
import { installPlainResponse } from './lambda/plain-response.ts';
import { SegmentRouter } from './lambda/segment-router.ts';
import { streamHandler } from './lambda/stream-handler.ts';

installPlainResponse();
const { assay, guard, beat, origins } = await apiDeps();
const served = behindCloudFront(createApp(assay, { origins, holdsStreams: false, router: new SegmentRouter() }), {
  guard,
  beat,
});

/**
 * The function URL's handler. A URL has one mode, and this one streams: server-sent events and answers over 6 MB need
 * it, and it costs a short answer 0.2 ms (`npm run bench -- cold`).
 */
export const handler = streamHandler(served.fetch);
