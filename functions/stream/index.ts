import type { StreamEvent } from '../../shared/adapters/aws/stream-event.ts';
import { streamDeps } from './deps.ts';
import { handleStream, type StreamAnswer } from './handle.ts';

const deps = streamDeps();

/** Lambda's handler for the table's stream. */
export const handler = (event: StreamEvent): Promise<StreamAnswer> => handleStream(deps, event);
