import type { Family } from '../../shared/model/registration.ts';

/** The shipped tools that bundling has checked, by name: bundling replaces this file, which has none. */
export const checkedFamilies = (): Readonly<Record<string, Family>> => ({});
