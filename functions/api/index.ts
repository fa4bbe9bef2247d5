import { Hono } from 'hono';
import { streamHandle } from 'hono/aws-lambda';
import { createApp } from './app.ts';
import { behindCloudFront } from './behind-cloudfront.ts';
import { apiDeps } from './deps.ts';

const { assay, guard, origins } = await apiDeps();
const served = behindCloudFront(createApp(assay, { origins }), guard);

/**
 * The function URL's handler. The URL streams every answer: server-sent events and answers over 6 MB need it, and
 * short answers are no slower than buffered ones (`npm run bench -- cold`).
 */
export const handler = streamHandle(Object.assign(new Hono(), { fetch: served.fetch }));
