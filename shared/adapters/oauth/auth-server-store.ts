import type { Adapter, AdapterPayload } from 'oidc-provider';
import * as z from 'zod';
import { sha256 } from '../../kernel/canonical-json.ts';
import { oauthGrantPk, oauthKey, oauthOfGrantKey } from '../../kernel/oauth-keys.ts';
import type { Clock, Table, Write } from '../../kernel/ports.ts';
import { put, read, stored } from '../../kernel/stored.ts';

/** An item of the authorization server. Its id may be a secret, so only its digest is stored. */
export const OauthItem = stored({
  what: 'item of the authorization server',
  schema: z.object({ payload: z.record(z.string(), z.unknown()), consumed: z.number().optional() }),
  cure: 'log in again',
});

/** Marks an item that belongs to a grant. */
export const OauthOfGrantItem = stored({ what: 'entry of a grant', schema: z.object({}) });

interface Options {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  /** The error when a code or token is used twice concurrently. */
  readonly alreadyUsed: () => Error;
}

/** How long items without an expiry are kept, such as self-registered clients. */
const LONGEST_SECONDS = 30 * 86_400;

/** The provider's storage in the table: items expire, and all items of a grant can be revoked at once. */
export const authServerStore = ({ table, clock, alreadyUsed }: Options): ((kind: string) => Adapter) => {
  const seconds = (): number => Math.floor(clock.now() / 1000);
  return (kind) => {
    const keyOf = (id: string) => oauthKey(kind, sha256(id));
    const uidKey = (uid: string) => oauthKey('SessionUid', sha256(uid));
    return {
      async upsert(id, payload, expiresIn = LONGEST_SECONDS) {
        const { jti: _, consumed: __, ...kept } = payload;
        const expires = seconds() + expiresIn;
        const writes: Write[] = [put(keyOf(id), OauthItem, { payload: kept }, expires)];
        if (payload.grantId !== undefined)
          writes.push(put(oauthOfGrantKey(payload.grantId, kind, sha256(id)), OauthOfGrantItem, {}, expires));
        // A session grants nothing: the key is requested each time.
        if (kind === 'Session' && payload.uid !== undefined)
          writes.push(put(uidKey(payload.uid), OauthItem, { payload: { ...kept, jti: id } }, expires));
        await table.write(writes);
      },
      async find(id) {
        const item = await table.get(keyOf(id));
        if (!item) return undefined;
        const { payload, consumed } = read(item, OauthItem);
        return { ...(payload as AdapterPayload), jti: id, consumed };
      },
      async consume(id) {
        const key = keyOf(id);
        await table.change([key], ([item]) => {
          const found = item && read(item, OauthItem);
          // Of two concurrent uses, both of which found it unused, only one may continue.
          if (!found || found.consumed !== undefined) throw alreadyUsed();
          return { writes: [put(key, OauthItem, { ...found, consumed: seconds() }, item.expires)], result: undefined };
        });
      },
      async destroy(id) {
        await table.write([{ remove: keyOf(id) }]);
      },
      async revokeByGrantId(grant) {
        const { items } = await table.query(oauthGrantPk(grant));
        const removed = items.flatMap(({ key }): Write[] => {
          const [of = '', digest = ''] = key.sk.split('#');
          return [{ remove: key }, { remove: oauthKey(of, digest) }];
        });
        if (removed.length > 0) await table.write(removed);
      },
      async findByUid(uid) {
        const item = await table.get(uidKey(uid));
        return item && (read(item, OauthItem).payload as AdapterPayload);
      },
      // Device codes are not switched on.
      findByUserCode: async () => undefined,
    };
  };
};
