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
  const events = after.versions
    .filter(({ version }) => !before?.versions.some((known) => known.version === version))
    .map(({ version }, at) => event(isSwitch(before) && at === 0 ? 'tool-registered' : 'tool-versioned', version));
  const removed = before?.versions.filter(({ version }) => !after.versions.some((kept) => kept.version === version));
  events.push(...(removed ?? []).map(({ version }) => event('tool-removed', version)));
  if (before && before.enabled !== after.enabled) events.push(event(after.enabled ? 'tool-enabled' : 'tool-disabled'));
  return events.length > 0 ? events : [event('tool-changed', after.default_version)];
};

const isSwitch = (family: Family | undefined): boolean => (family?.versions.length ?? 0) === 0;
