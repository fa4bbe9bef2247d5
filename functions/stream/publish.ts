import type { StreamEvent } from '../../shared/adapters/aws/stream-event.ts';
import { publishDeps } from './deps.ts';
import { handleStream, type StreamAnswer } from './handle.ts';

const deps = publishDeps();

/** Lambda's handler for keys, catalogues and events in the table's stream. */
export const handler = (event: StreamEvent): Promise<StreamAnswer> => handleStream(deps, event);
