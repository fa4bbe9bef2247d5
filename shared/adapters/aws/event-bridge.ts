import { type EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { Fault } from '../../kernel/errors.ts';
import type { ChangeEvent, EventSink } from '../../registry/events.ts';

const EVENT_SOURCE = 'assay';
/** EventBridge accepts ten entries and 1 MB per request; ours have at most a few kilobytes. */
const MOST_ENTRIES = 10;

/** Publishes events to a bus, whose rules deliver them to queues, functions and webhooks. */
export const eventBridgeSink =
  (client: EventBridgeClient, busName: string): EventSink =>
  async (events) => {
    for (let start = 0; start < events.length; start += MOST_ENTRIES) {
      const Entries = events.slice(start, start + MOST_ENTRIES).map((event) => toBusEntry(event, busName));
      const { FailedEntryCount = 0, Entries: results = [] } = await client.send(new PutEventsCommand({ Entries }));
      if (FailedEntryCount === 0) continue;
      const { ErrorCode, ErrorMessage } = results.find((result) => result.ErrorCode !== undefined) ?? {};
      throw new Fault('Unavailable', `${FailedEntryCount} events were not taken: ${ErrorCode} ${ErrorMessage}`);
    }
  };

const toBusEntry = (event: ChangeEvent, EventBusName: string): PutEventsRequestEntry => ({
  EventBusName,
  Source: EVENT_SOURCE,
  DetailType: event.type,
  Time: new Date(event.at),
  Resources: [`${event.tenant}/${event.tool}`],
  Detail: JSON.stringify(event),
});
