import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** All addresses of a name. */
export type ResolveName = (host: string, isAllowed: boolean) => Promise<readonly string[]>;

/**
 * Public names are resolved by DNS only, not by the hosts file, and without a thread that a slow name would block.
 * Hosts that the operator allowed may be in the hosts file.
 */
export const systemNames = (): ResolveName => {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  return async (host, isAllowed) => {
    if (isIP(host)) return [host];
    if (isAllowed) return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (found.length === 0 && failed) throw failed.reason;
    return found;
  };
};
