import type { Schema } from '../json.ts';
import type { CallDrafts } from './call-drafts.ts';

/** A provider's state machine: what each event of a stream, or a whole response, says of calls. */
export interface Reader {
  readonly drafts: CallDrafts;
  event(event: Schema): void;
}
