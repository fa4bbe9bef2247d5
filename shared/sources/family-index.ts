import type { Family, FamilySource } from '../model/registration.ts';

/** The tools that a source registered, by name, including those it no longer lists. */
export const toolsOfSource = (
  own: ReadonlyMap<string, Family>,
  source: string,
): readonly (Family & { readonly source: FamilySource })[] =>
  [...own.values()]
    .flatMap((family) => {
      const { source: of } = family;
      return of?.name === source ? [{ ...family, source: of }] : [];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
