import { Fault } from '../kernel/errors.ts';
import { timeOfUlid } from '../kernel/ids.ts';
import { callKey, ratingKey, ratingsKey } from '../kernel/item-keys.ts';
import type { Item } from '../kernel/ports.ts';
import type { CallRecord } from '../model/call.ts';
import type { Feedback } from '../model/feedback.ts';
import type { Actor } from '../model/key.ts';
import { missingVersion } from '../registry/change-state.ts';
import type { RegistryContext } from '../registry/context.ts';
import { resolveVersion } from '../registry/versions.ts';
import { requireEntry } from '../registry/visible-entry.ts';

/** What the ratings of a version add up to. */
export interface Ratings {
  readonly count: number;
  readonly sum: number;
}

/** One rating a call, or a key where no call is named: a second one takes the place of the first. */
export const rateTool = async (context: RegistryContext, actor: Actor, feedback: Feedback): Promise<Ratings> => {
  const { tenant, keyId } = actor;
  const { version, subject } = await whatIsRated(context, actor, feedback);
  const keys = [ratingKey(tenant, subject), ratingsKey(tenant, feedback.tool, version)];
  const at = new Date(context.clock.now()).toISOString();
  const expires = Math.floor(context.clock.now() / 1000) + 400 * 86_400;
  return context.table.change(keys, ([earlier, total]) => {
    const before = ratingOf(earlier);
    const sums = (total?.body ?? { count: 0, sum: 0 }) as unknown as Ratings;
    const ratings: Ratings = {
      count: sums.count + (before === undefined ? 1 : 0),
      sum: sums.sum + feedback.rating - (before ?? 0),
    };
    const rating = { v: 1, tool: feedback.tool, version, rating: feedback.rating, by: keyId, at };
    const writes = [
      { put: ratingKey(tenant, subject), body: rating, expires },
      { put: ratingsKey(tenant, feedback.tool, version), body: { ...ratings } },
    ];
    return { writes, result: ratings };
  });
};

const whatIsRated = async (context: RegistryContext, actor: Actor, feedback: Feedback) => {
  const { tenant, keyId } = actor;
  const { catalog } = await context.catalogs.of(tenant);
  const entry = requireEntry(catalog, actor, feedback.tool);
  if (feedback.call_id !== undefined) return ratedCall(context, tenant, feedback, feedback.call_id);
  const record = resolveVersion(entry.family, feedback.version);
  if (!record) throw missingVersion(entry.family, feedback.version ?? 'default');
  return { version: record.version, subject: `${keyId}#${feedback.tool}#${record.version}` };
};

const ratedCall = async (context: RegistryContext, tenant: string, feedback: Feedback, id: string) => {
  const item = timeOfUlid(id) === undefined ? undefined : await context.table.get(callKey(tenant, id));
  const call = item?.body as unknown as CallRecord | undefined;
  if (!call) throw new Fault('NotFound', `no call with the id ${JSON.stringify(id)}`, { call_id: id });
  if (call.tool !== feedback.tool || (feedback.version !== undefined && call.version !== feedback.version))
    throw new Fault('InvalidInput', `call ${id} was of ${call.tool} ${call.version}; rate that`, { field: 'call_id' });
  if (call.status === 'refused')
    throw new Fault('InvalidInput', `call ${id} was refused and never ran; there is nothing to rate`, {
      field: 'call_id',
    });
  return { version: call.version, subject: id };
};

const ratingOf = (item: Item | undefined): number | undefined => item && Number(item.body.rating);
