import type { Catalog } from '../catalog.ts';

/**
 * Gives each catalogue a unique number, for use in cache keys. What is kept under it names the revision that it is of:
 * with the revision in the key, what no longer holds would stay until its cache is full.
 */
export const numberCatalogs = (): ((catalog: Catalog) => number | undefined) => {
  const numbers = new WeakMap<Catalog, number>();
  let count = 0;
  return (catalog) => {
    if (!numbers.has(catalog)) numbers.set(catalog, ++count);
    return numbers.get(catalog);
  };
};
