import * as z from 'zod';
import { messageOf } from '../../kernel/errors.ts';
import { acquireLease, Lease, releaseLease } from '../../kernel/lease.ts';
import {
  acquireItem,
  changeWhileHeld,
  type Heartbeat,
  keepLease,
  type LeaseContext,
  type LeasedItem,
  newOwner,
} from '../../kernel/leased-item.ts';
import { ACTIVE_QUOTAS_PK, activeQuotaKey } from '../../kernel/quota-keys.ts';
import { put, stored } from '../../kernel/stored.ts';
import { isClosed } from './closed-month.ts';
import { recountLedger } from './recount-ledger.ts';

const QuotaHolder = z.object({
  /** The ledgers in which it has counted calls against quotas. */
  ledgers: z.array(z.object({ tenant: z.string(), month: z.string() })),
  lease: Lease.optional(),
});
type QuotaHolder = Readonly<z.infer<typeof QuotaHolder>>;

/** A process that counts calls against quotas. If it dies, its open counts are corrected by a recount. */
export const QuotaHolderItem = stored<QuotaHolder>({ what: 'process that counts on quotas', schema: QuotaHolder });

export interface QuotaHolding {
  /** Registers that this process counts on a tenant's quotas, before it does; synchronous when already registered. */
  hold(tenant: string, month: string): Promise<void> | undefined;
  /** Leaves a recount of a month to any process, because calls are too frequent to do it now. */
  leave(tenant: string, month: string): Promise<void>;
  /** Recounts the quotas of processes that died; done at the start and with every heartbeat. */
  takeOver(): Promise<void>;
  /** Ends the registration; `isIdle` tells that no call counted by this process is open. */
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
    // The lease starts when it is stored, however long that takes, so that it cannot have expired already.
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
      const isHeld = await changeWhileHeld(context, known.item, known.lease, (content, expires) => [
        put(known.item.key, QuotaHolderItem, { ...content, ledgers: [...ledgers.values()] }, expires),
      ]);
      if (isHeld) {
        own = { ...known, ledgers };
        return;
      }
    }
    own = await begin(ledgers);
  };
  // Serialised, because each change builds on the one before.
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  /** Recounts the ledgers of one dead process; those that cannot be settled yet are due again later. */
  const settle = async (item: LeasedItem<QuotaHolder>): Promise<void> => {
    const taken = await acquireItem(context, item, newOwner(random));
    if (!taken) return;
    const heartbeat = keepLease(context, item, taken.lease);
    try {
      let due = 0;
      for (const { tenant, month } of taken.ledgers)
        if (!isClosed(month, clock.now())) due = Math.max(due, await recountLedger(context, tenant, month));
      await changeWhileHeld(context, item, taken.lease, (content, expires) =>
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
      // A process that was suspended past its lease registers again.
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
        await changeWhileHeld(context, item, lease, (content, expires) =>
          isIdle
            ? [{ remove: item.key }]
            : [put(item.key, QuotaHolderItem, { ...content, lease: releaseLease(lease) }, expires)],
        );
      }),
  };
};

const newLease = (owner: string, now: number): Lease => {
  const lease = acquireLease(undefined, owner, now);
  if (lease === undefined) throw new Error('a new lease can be taken');
  return lease;
};

const nameOf = (tenant: string, month: string): string => `${tenant} ${month}`;
