import { useEffect } from './use-effect.ts';
import { useState } from './use-state.ts';

export const PAGES = ['score', 'tools', 'decide', 'plans', 'playground', 'activity', 'admin', 'connect'] as const;
export type PageName = (typeof PAGES)[number];

/** The place in the URL: `#/tools/ssim` is the page `tools` with the rest `ssim`. */
export interface Route {
  readonly page: PageName;
  readonly rest: string;
}

const parseRoute = (hash: string): Route => {
  const [page = '', ...rest] = hash.replace(/^#\/?/, '').split('/');
  const known = PAGES.find((each) => each === page);
  return { page: known ?? 'score', rest: known === undefined ? '' : decodeURIComponent(rest.join('/')) };
};

/** Navigates to a place; `instead` replaces the current history entry, where going back to it makes no sense. */
export const goTo = (place: string, options: { readonly instead?: boolean } = {}): void => {
  if (location.hash === `#/${place}`) return;
  if (options.instead) location.replace(`#/${place}`);
  else location.hash = `#/${place}`;
};

export const useRoute = (): Route => {
  const [route, setRoute] = useState(parseRoute(location.hash));
  useEffect(() => {
    const follow = (): void => setRoute(parseRoute(location.hash));
    addEventListener('hashchange', follow);
    // The URL may have changed between the first rendering and this effect.
    follow();
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
};
