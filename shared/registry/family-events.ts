import type { Family } from '../model/registration.ts';
import type { EventType, NewEvent } from './events.ts';

/** The events that a change of a family causes. */
export const eventsOfChange = (
  name: string,
  before: Family | undefined,
  after: Family | undefined,
  now: number,
): readonly NewEvent[] => {
  const at = new Date(now).toISOString();
  const event = (type: EventType, version?: string): NewEvent => ({
    type,
    at,
    tool: name,
    version,
  });
  if (before === undefined && after === undefined) return [];
  // A family without versions only disables a shipped tool.
  if (isSwitch(before) && isSwitch(after)) return [event(after ? 'tool-disabled' : 'tool-enabled')];
  if (!after || isSwitch(after)) return [event('tool-removed')];
  // First, because a change of many families keeps only the first event of each.
  const drifted = driftOf(before, after);
  const events: NewEvent[] =
    drifted === undefined ? [] : [{ ...event('tool-drifted', after.source?.seen), reason: drifted }];
  const added = after.versions
    .filter(({ version }) => !before?.versions.some((known) => known.version === version))
    .map(({ version }, at) => event(isSwitch(before) && at === 0 ? 'tool-registered' : 'tool-versioned', version));
  events.push(...added);
  const removed = before?.versions.filter(({ version }) => !after.versions.some((kept) => kept.version === version));
  events.push(...(removed ?? []).map(({ version }) => event('tool-removed', version)));
  if (before && before.enabled !== after.enabled) events.push(event(after.enabled ? 'tool-enabled' : 'tool-disabled'));
  return events.length > 0 ? events : [event('tool-changed', after.default_version)];
};

/** Why a source's tool is no longer what was approved. */
const driftOf = (before: Family | undefined, after: Family): string | undefined => {
  const [was, is] = [before?.source, after.source];
  if (!is || was?.seen === is.seen) return undefined;
  if (is.seen === undefined) return 'the source no longer has it';
  return is.waiting.includes(is.seen) ? 'the source has changed it; the new version waits for approval' : undefined;
};

const isSwitch = (family: Family | undefined): boolean => (family?.versions.length ?? 0) === 0;
