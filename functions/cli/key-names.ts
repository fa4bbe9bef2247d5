import type { KeyView } from '../../shared/model/key.ts';
import type { ApiClient } from './client.ts';

/** The name of a key by its id; the id itself for a key without a name, and for whoever may not list keys. */
export const keyNames = async (api: ApiClient): Promise<(id: string) => string> => {
  const keys = await api.json<{ keys: readonly KeyView[] }>('GET', '/v1/keys?limit=1000').then(
    (page) => page.keys,
    () => [],
  );
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id;
};
