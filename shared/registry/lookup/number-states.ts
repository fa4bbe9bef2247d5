import type { Catalog } from '../catalog.ts';

/** A name for each state of each catalogue, so that what is kept for one can never be taken for another's. */
export const numberStates = (): ((catalog: Catalog) => string) => {
  const numbers = new WeakMap<Catalog, number>();
  let count = 0;
  return (catalog) => {
    const number = numbers.get(catalog) ?? ++count;
    numbers.set(catalog, number);
    return `${number}.${catalog.revision}`;
  };
};
