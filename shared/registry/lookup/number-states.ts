import type { Catalog } from '../catalog.ts';

/** Gives each state of each catalogue a unique name, for use in cache keys. */
export const numberStates = (): ((catalog: Catalog) => string) => {
  const numbers = new WeakMap<Catalog, number>();
  let count = 0;
  return (catalog) => {
    const number = numbers.get(catalog) ?? ++count;
    numbers.set(catalog, number);
    return `${number}.${catalog.revision}`;
  };
};
