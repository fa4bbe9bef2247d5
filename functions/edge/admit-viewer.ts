import { admit, missingKey, presentedKey } from '../../shared/access/admit.ts';
import { requireScope } from '../../shared/access/scopes.ts';
import { digestOfKey, hasValidChecksum, parseKeyId } from '../../shared/access/secret.ts';
import type { Actor } from '../../shared/model/key.ts';
import type { EdgeContext } from './app.ts';
import type { EdgeStore } from './store.ts';

/** The caller; undefined when only the origin can tell. Throws a Fault if the origin would refuse too. */
export const admitViewer = async (c: EdgeContext, store: EdgeStore): Promise<Actor | undefined> => {
  const text = presentedKey(c.req.header('authorization'), c.req.header('x-api-key'));
  if (text === undefined || text === '') throw missingKey();
  const id = parseKeyId(text);
  // The operator's own key has another format, and a new key may not be published yet.
  const known = id !== undefined && hasValidChecksum(text) ? await store.key(id) : undefined;
  // Only the origin can count requests.
  if (!known || known.key.rate !== undefined) return undefined;
  const actor = admit(known, digestOfKey(text), store.now());
  const tenant = c.req.header('assay-tenant');
  if (tenant !== undefined && tenant !== actor.tenant) return undefined;
  requireScope(actor, 'read');
  return actor;
};
