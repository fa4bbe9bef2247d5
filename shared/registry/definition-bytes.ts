import { Fault } from '../kernel/errors.ts';
import type { Family } from '../model/registration.ts';

const DEFAULT_MB = 64;

/** The limit in bytes, from the setting in megabytes. */
export const definitionLimit = (megabytes = DEFAULT_MB): number => megabytes * 2 ** 20;

type Change = readonly [before: Family | undefined, after: Family | undefined];

/**
 * What a tenant's definitions take after a change, refused beyond the limit: every process that serves the tenant holds
 * all of them in memory. A change that makes them smaller is always accepted.
 */
export const countDefinitions = (used: number, changes: readonly Change[], limit = definitionLimit()): number => {
  const added = changes.reduce((sum, [before, after]) => sum + bytesOf(after) - bytesOf(before), 0);
  if (added > 0 && used + added > limit)
    throw new Fault(
      'PaymentRequired',
      `the tools of this tenant, with all their versions, take ${used} of ${limit} bytes, which leaves no room for ${added} more; remove tools or versions, or ask the operator for more`,
      { limit, used, bytes: added },
    );
  // Until they are recounted, tools of earlier releases were not counted when they came.
  return Math.max(0, used + added);
};

export const bytesOf = (family: object | undefined): number => (family ? Buffer.byteLength(JSON.stringify(family)) : 0);
