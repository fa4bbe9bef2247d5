import type { Hono } from 'hono';
import { handle } from 'hono/lambda-edge';
import { createEdgeApp } from './app.ts';
import { createStores } from './deps.ts';

/** Lambda@Edge, at the origin request. */
export const handler = handle(createEdgeApp(createStores()) as unknown as Hono);
