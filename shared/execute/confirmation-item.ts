import * as z from 'zod';
import { sha256 } from '../kernel/canonical-json.ts';
import { Fault } from '../kernel/errors.ts';
import { confirmationKey, onceKey } from '../kernel/item-keys.ts';
import type { Key, Table } from '../kernel/ports.ts';
import { read, stored } from '../kernel/stored.ts';

/** How much of the arguments a list of confirmations hides; `revealConfirmation` shows everything. */
const Hidden = z.object({ cut: z.int(), redacted: z.int(), bytes: z.int() });
export type Hidden = Readonly<z.infer<typeof Hidden>>;

/** A confirmation request: may this key run this tool with these arguments, once? */
export const Confirmation = z.object({
  id: z.string(),
  state: z.enum(['pending', 'approved', 'refused', 'used']),
  key: z.string(),
  tool: z.string(),
  version: z.string(),
  digest: z.string(),
  /** The SHA-256 of the original arguments; those shown are redacted. */
  arguments_sha256: z.string(),
  arguments: z.unknown(),
  hidden: Hidden.optional().meta({
    description: 'How many values are cut or redacted here; GET /v1/confirmations/:id has them all.',
  }),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  decided_by: z.string().optional(),
});
export type Confirmation = Readonly<z.infer<typeof Confirmation>>;

export const ConfirmationItem = stored<Confirmation>({
  what: 'confirmation',
  schema: Confirmation,
  cure: 'call again without it to ask again',
});
/** Maps a confirmation's id to its item. */
export const ConfirmationPointerItem = stored({
  what: 'pointer to a confirmation',
  schema: z.object({ token_sha256: z.string() }),
  cure: ConfirmationItem.cure,
});

export const keyOfToken = (tenant: string, token: string): Key => onceKey(tenant, sha256(token));

export const keyOfId = async (table: Table, tenant: string, id: string): Promise<Key> => {
  const pointer = await table.get(confirmationKey(tenant, id));
  if (!pointer) throw unknownConfirmation();
  return onceKey(tenant, read(pointer, ConfirmationPointerItem).token_sha256);
};

export const unknownConfirmation = (): Fault =>
  new Fault('NotFound', 'there is no such confirmation; it may have expired, or belong to another tenant');
