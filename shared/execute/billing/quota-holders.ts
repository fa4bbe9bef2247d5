import * as z from 'zod';
import { messageOf } from '../../kernel/errors.ts';
import { freeLease, Lease, takeLease } from '../../kernel/lease.ts';
import {
  changeHeld,
  type Heartbeat,
  keepLease,
  type LeaseContext,
  type LeasedItem,
  newOwner,
  takeItem,
} from '../../kernel/leased-item.ts';
import { ACTIVE_QUOTAS_PK, activeQuotaKey } from '../../kernel/quota-keys.ts';
import { put, stored } from '../../kernel/stored.ts';
import { isClosed } from './closed-month.ts';
import { recountLedger } from './recount-ledger.ts';

const QuotaHolder = z.object({
  /** Where it has counted calls on quotas. */
  ledgers: z.array(z.object({ tenant: z.string(), month: z.string() })),
  lease: Lease.optional(),
});
type QuotaHolder = Readonly<z.infer<typeof QuotaHolder>>;

/** A process that counts calls on quotas. Where it dies, what it had counted and not given back is recounted. */
export const QuotaHolderItem = stored<QuotaHolder>({ what: 'process that counts on quotas', schema: QuotaHolder });

export interface QuotaHolding {
  /** Notes, before a quota is counted on, that this process does so; at once where that is noted. */
  hold(tenant: string, month: string): Promise<void> | undefined;
  /** Has the counters of a month recounted soon, by whoever is there: calls went on too fast to do it now. */
  leave(tenant: string, month: string): Promise<void>;
  /** Recounts what processes that died had counted, as is done at the start and with every beat. */
  takeOver(): Promise<void>;
  /** Holds no more; `isIdle` says that nothing this process has counted is left open. */
  close(isIdle: boolean): Promise<void>;
}

interface Holding {
  readonly item: LeasedItem<QuotaHolder>;
  readonly lease: Lease;
  readonly heartbeat: Heartbeat;
  readonly ledgers: ReadonlyMap<string, QuotaHolder['ledgers'][number]>;
}

export interface QuotaContext extends LeaseContext {
  readonly random: (bytes: number) => Uint8Array;
}

export const createQuotaHolding = (context: QuotaContext): QuotaHolding => {
  const { table, clock, log, random } = context;
  let own: Holding | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const store = async <Content extends QuotaHolder>(make: () => Content) => {
    const key = activeQuotaKey(newOwner(random));
    const item: LeasedItem<QuotaHolder> = { key, kind: QuotaHolderItem };
    const content = await table.change([key], () => {
      const made = make();
      return { writes: [put(key, QuotaHolderItem, made)], result: made };
    });
    return { item, content };
  };
  const begin = async (ledgers: Holding['ledgers']): Promise<Holding> => {
    const owner = newOwner(random);
    // Its time begins when it is stored, however long that took: nobody holds by a lease that is over.
    const { item, content } = await store(() => ({
      ledgers: [...ledgers.values()],
      lease: newLease(owner, clock.now()),
    }));
    own?.heartbeat.stop();
    return { item, lease: content.lease, ledgers, heartbeat: keepLease(context, item, content.lease) };
  };
  const note = async (tenant: string, month: string): Promise<void> => {
    const known = own;
    const ledgers = new Map(known?.ledgers).set(nameOf(tenant, month), { tenant, month });
    if (known && !known.heartbeat.isLost()) {
      const isHeld = await changeHeld(context, known.item, known.lease, (content, expires) => [
        put(known.item.key, QuotaHolderItem, { ...content, ledgers: [...ledgers.values()] }, expires),
      ]);
      if (isHeld) {
        own = { ...known, ledgers };
        return;
      }
    }
    own = await begin(ledgers);
  };
  // One after the other: each adds to what the one before has stored.
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  /** Recounts what one process has left; what cannot be known yet is looked at again when it can. */
  const settle = async (item: LeasedItem<QuotaHolder>): Promise<void> => {
    const taken = await takeItem(context, item, newOwner(random));
    if (!taken) return;
    const heartbeat = keepLease(context, item, taken.lease);
    try {
      let due = 0;
      for (const { tenant, month } of taken.ledgers)
        if (!isClosed(month, clock.now())) due = Math.max(due, await recountLedger(context, tenant, month));
      await changeHeld(context, item, taken.lease, (content, expires) =>
        due === 0
          ? [{ remove: item.key }]
          : [put(item.key, QuotaHolderItem, { ...content, lease: { ...taken.lease, until: due } }, expires)],
      );
    } finally {
      heartbeat.stop();
    }
  };
  const hold: QuotaHolding['hold'] = (tenant, month) => {
    if (own?.ledgers.has(nameOf(tenant, month)) && !own.heartbeat.isLost()) return undefined;
    return inTurn(() => note(tenant, month));
  };
  return {
    hold,
    leave: async (tenant, month) => void (await store(() => ({ ledgers: [{ tenant, month }] }))),
    async takeOver() {
      // One that slept past its lease holds what it has counted again.
      if (own?.heartbeat.isLost()) for (const { tenant, month } of own.ledgers.values()) await hold(tenant, month);
      const { items } = await table.query(ACTIVE_QUOTAS_PK);
      for (const { key } of items)
        if (key.sk !== own?.item.key.sk)
          await settle({ key, kind: QuotaHolderItem }).catch((thrown: unknown) =>
            log.warn('quotas not recounted', { holder: key.sk, error: messageOf(thrown) }),
          );
    },
    close: (isIdle) =>
      inTurn(async () => {
        if (!own) return;
        const { item, lease, heartbeat } = own;
        heartbeat.stop();
        await changeHeld(context, item, lease, (content, expires) =>
          isIdle
            ? [{ remove: item.key }]
            : [put(item.key, QuotaHolderItem, { ...content, lease: freeLease(lease) }, expires)],
        );
      }),
  };
};

const newLease = (owner: string, now: number): Lease => {
  const lease = takeLease(undefined, owner, now);
  if (lease === undefined) throw new Error('a new lease can be taken');
  return lease;
};

const nameOf = (tenant: string, month: string): string => `${tenant} ${month}`;
