import { useClient } from './context.ts';
import { useLoad } from './use-load.ts';

/** The name of a key by its id; the id itself for a key without a name, and for whoever may not list keys. */
export const useKeyNames = (): ((id: string) => string) => {
  const client = useClient();
  const load = useLoad(
    () =>
      client.keys().then(
        ({ keys }) => new Map(keys.flatMap(({ id, name }) => (name === undefined ? [] : [[id, name] as const]))),
        () => new Map<string, string>(),
      ),
    [],
  );
  return (id) => load.value?.get(id) ?? id;
};
