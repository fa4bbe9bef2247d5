import { Fault } from '../kernel/errors.ts';
import { apiKeyKey, KEY_OF_TENANT_PREFIX, toolsPk } from '../kernel/item-keys.ts';
import type { Clock, Page, Table } from '../kernel/ports.ts';
import { keysInForceKey, keysOfMonthKey } from '../kernel/quota-keys.ts';
import { read, readAll } from '../kernel/stored.ts';
import { ApiKeyItem, KeyOfTenantItem } from '../model/key.ts';

/** How many keys of a tenant its administrators may have in force at once, and make in a month. */
const MOST_KEYS = 100;
/** From its last use on: longer than a month. */
const MONTH_EXPIRES_SECONDS = 62 * 86_400;

interface Context {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Counts a new key of a tenant, refused where its administrators have too many; the operator may make more. Rate and
 * quota are each key's own: without a limit an administrator would give its own any number of times, and by revoking
 * each key that is used up, without one for a month too.
 */
export const countKey = async ({ table, clock }: Context, tenant: string, isOperator: boolean): Promise<void> => {
  await countEarlier(table, tenant);
  const most: Readonly<Record<string, number>> = isOperator ? {} : { keys: MOST_KEYS };
  const inForce = keysInForceKey(tenant);
  if (!(await table.count(inForce, { keys: 1 }, most)))
    throw tooMany(tenant, `has ${MOST_KEYS} keys that are not revoked`, 'revoke some that are not used');
  const now = clock.now();
  const month = new Date(now).toISOString().slice(0, 7);
  const expires = Math.floor(now / 1000) + MONTH_EXPIRES_SECONDS;
  if (await table.count(keysOfMonthKey(tenant, month), { keys: 1 }, most, expires)) return;
  await table.count(inForce, { keys: -1 });
  throw tooMany(tenant, `was given ${MOST_KEYS} keys in ${month}`, 'use those it has');
};

/** Counts a key that was revoked. */
export const uncountKey = async (table: Table, tenant: string): Promise<void> => {
  if (await table.get(keysInForceKey(tenant))) await table.count(keysInForceKey(tenant), { keys: -1 });
};

/** Earlier releases did not count. */
const countEarlier = async (table: Table, tenant: string): Promise<void> => {
  const key = keysInForceKey(tenant);
  if (await table.get(key)) return;
  let keys = 0;
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const { items, next }: Page = await table.query(toolsPk(tenant), {
      prefix: KEY_OF_TENANT_PREFIX,
      limit: 100,
      after,
    });
    const found = await Promise.all(readAll(items, KeyOfTenantItem).map(({ id }) => table.get(apiKeyKey(id))));
    keys += found.filter((item) => item && read(item, ApiKeyItem).revoked_at === undefined).length;
    after = next;
  }
  await table.change([key], ([item]) => ({ writes: item ? [] : [{ put: key, body: { keys } }], result: undefined }));
};

const tooMany = (tenant: string, what: string, cure: string): Fault =>
  new Fault(
    'PaymentRequired',
    `the tenant ${tenant} ${what}, the most that its administrators may make; ${cure}, or ask the operator for more`,
    { tenant, limit: MOST_KEYS },
  );
