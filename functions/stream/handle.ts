import { parseChanges, type StreamEvent } from '../../shared/adapters/aws/stream-event.ts';
import { type FoldContext, foldStream, type StreamChange } from '../../shared/execute/fold-stream.ts';
import { EVENT_PREFIX } from '../../shared/kernel/item-keys.ts';
import type { Key } from '../../shared/kernel/ports.ts';
import { readAll } from '../../shared/kernel/stored.ts';
import { isEdgeBeat, readBeat } from '../../shared/registry/edge-beat.ts';
import { type ChangeEvent, EventItem, type EventSink } from '../../shared/registry/events.ts';

export interface StreamDeps {
  /** Folds totals; without it another function does. */
  readonly fold?: FoldContext;
  /** Delivers events; without it they stay in the table. */
  readonly deliver?: EventSink;
  /** Publishes changes to the edge. */
  readonly publish?: (changed: readonly Key[]) => Promise<void>;
  /** Tells the edge up to when everything is published. */
  readonly publishAsOf?: ((at: number) => Promise<void>) | undefined;
}

/**
 * The answer for Lambda: the window's state unchanged, and no failures, because a batch succeeds or is repeated as a
 * whole.
 */
export interface StreamAnswer {
  readonly state: Readonly<Record<string, unknown>>;
  readonly batchItemFailures: readonly never[];
}

/**
 * Handles a batch of the table's stream. Every part is idempotent: totals have checkpoints, everything else is
 * overwritten.
 */
export const handleStream = async (deps: StreamDeps, event: StreamEvent): Promise<StreamAnswer> => {
  const changes = parseChanges(event).filter(({ isExpiry }) => !isExpiry);
  if (deps.fold) await foldStream(deps.fold, changes, event.shardId);
  const placed = changes.flatMap(placedEvent);
  if (deps.deliver && placed.length > 0) await deps.deliver(placed);
  if (deps.publish && changes.length > 0) await deps.publish(changes.map(({ key }) => key));
  const beat = changes.findLast(({ key }) => isEdgeBeat(key))?.after;
  // The beat in this batch, because the one in the table may be newer than what was published.
  if (deps.publishAsOf && beat) await deps.publishAsOf(readBeat(beat));
  return { state: event.state ?? {}, batchItemFailures: [] };
};

const placedEvent = ({ key, before, after }: StreamChange): readonly ChangeEvent[] =>
  after && !before && key.sk.startsWith(EVENT_PREFIX) ? readAll([after], EventItem) : [];
