import * as z from 'zod';
import { requireScope } from '../access/scopes.ts';
import { Fault } from '../kernel/errors.ts';
import { timeOfUlid } from '../kernel/ids.ts';
import { callKey, ratingKey, ratingsKey } from '../kernel/item-keys.ts';
import { put, read, stored } from '../kernel/stored.ts';
import { endedCall } from '../model/call-record.ts';
import type { Feedback } from '../model/feedback.ts';
import type { Actor } from '../model/key.ts';
import { missingVersion } from '../registry/change-state.ts';
import type { RegistryContext } from '../registry/context.ts';
import { resolveVersion } from '../registry/versions.ts';
import { requireEntry } from '../registry/visible-entry.ts';

/** The sum of a version's ratings. */
const Ratings = z.object({ count: z.int(), sum: z.int() });
export type Ratings = Readonly<z.infer<typeof Ratings>>;

/** Release 0.1.0 wrote it without a format version. */
export const RatingsItem = stored<Ratings>({
  what: 'total of ratings',
  schema: Ratings,
  upgrades: { 0: (content) => content },
});

/** A rating of a call or a tool, stored so that a second rating replaces the first. */
export const RatingItem = stored({
  what: 'rating',
  schema: z.object({
    tool: z.string(),
    version: z.string(),
    rating: z.int(),
    by: z.string(),
    at: z.iso.datetime(),
  }),
});

/** One rating per call, or per key where no call is named: a second one replaces the first. */
export const rateTool = async (context: RegistryContext, actor: Actor, feedback: Feedback): Promise<Ratings> => {
  requireScope(actor, 'invoke');
  const { tenant, keyId } = actor;
  const { version, subject } = await whatIsRated(context, actor, feedback);
  const keys = [ratingKey(tenant, subject), ratingsKey(tenant, feedback.tool, version)];
  const at = new Date(context.clock.now()).toISOString();
  const expires = Math.floor(context.clock.now() / 1000) + 400 * 86_400;
  return context.table.change(keys, ([earlier, total]) => {
    const before = earlier && read(earlier, RatingItem).rating;
    const sums = total ? read(total, RatingsItem) : { count: 0, sum: 0 };
    const ratings: Ratings = {
      count: sums.count + (before === undefined ? 1 : 0),
      sum: sums.sum + feedback.rating - (before ?? 0),
    };
    const rating = { tool: feedback.tool, version, rating: feedback.rating, by: keyId, at };
    const writes = [
      put(ratingKey(tenant, subject), RatingItem, rating, expires),
      put(ratingsKey(tenant, feedback.tool, version), RatingsItem, ratings),
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
  const call = endedCall(item);
  if (!call) throw new Fault('NotFound', `no call with the id ${JSON.stringify(id)}`, { call_id: id });
  if (call.tool !== feedback.tool || (feedback.version !== undefined && call.version !== feedback.version))
    throw new Fault('InvalidInput', `call ${id} was of ${call.tool} ${call.version}; rate that version`, {
      field: 'call_id',
    });
  if (call.status === 'refused')
    throw new Fault('InvalidInput', `call ${id} was refused and never ran; there is nothing to rate`, {
      field: 'call_id',
    });
  return { version: call.version, subject: id };
};
