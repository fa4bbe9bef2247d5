import type { Schema } from '../json.ts';
import type { CallDrafts } from './call-drafts.ts';

/** A provider's state machine: reads the calls from each event of a stream, or from a whole response. */
export interface Reader {
  readonly drafts: CallDrafts;
  event(event: Schema): void;
}
