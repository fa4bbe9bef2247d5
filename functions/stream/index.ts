import type { StreamEvent } from '../../shared/adapters/aws/stream-event.ts';
import { foldDeps } from './deps.ts';
import { handleStream, type StreamAnswer } from './handle.ts';

const deps = foldDeps();

/** Lambda's handler for the calls in the table's stream. */
export const handler = (event: StreamEvent): Promise<StreamAnswer> => handleStream(deps, event);
