import { createStores } from './deps.ts';
import { createEdgeHandler } from './handler.ts';

/** Lambda@Edge, at the origin request. */
export const handler = createEdgeHandler(createStores());
