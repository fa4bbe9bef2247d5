import { useClient } from './context.ts';
import { useLoad } from './use-load.ts';

export interface KeyNames {
  /** The name of a key by its id; the id itself for a key without a name, and for whoever may not list keys. */
  nameOf(id: string): string;
  /** The id of the only key with this name; otherwise the text itself, which may be an id. */
  idOf(text: string): string;
  /** What `idOf` reads: the names of keys, and the ids of those whose name is missing or not their own. */
  readonly known: readonly string[];
}

export const useKeyNames = (): KeyNames => {
  const client = useClient();
  const load = useLoad(
    () =>
      client.keys().then(
        ({ keys }) => keys.map(({ id, name }) => ({ id, name: name ?? id })),
        () => [],
      ),
    [],
  );
  const keys = load.value ?? [];
  const named = (text: string) => keys.filter(({ name }) => name === text);
  return {
    nameOf: (id) => keys.find((key) => key.id === id)?.name ?? id,
    idOf: (text) => {
      const [key, other] = named(text.trim());
      return key !== undefined && other === undefined ? key.id : text.trim();
    },
    known: keys.map(({ id, name }) => (named(name).length === 1 ? name : id)),
  };
};
