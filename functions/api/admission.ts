import { actFor } from '../../shared/access/act-for.ts';
import { presentedKey } from '../../shared/access/admit.ts';
import type { Assay } from '../../shared/assay.ts';
import type { Actor } from '../../shared/model/key.ts';
import type { ApiContext } from './env.ts';
import { headerOf, stateOf } from './request-state.ts';

/** Authenticates the caller, applies its rate limit and sets its tenant; synchronous when everything is cached. */
export type Admission = (c: ApiContext) => undefined | Promise<void>;

export const createAdmission = ({ authenticate, limitRate }: Pick<Assay, 'authenticate' | 'limitRate'>): Admission => {
  const enter = (c: ApiContext, actor: Actor): void => {
    stateOf(c).actor = actFor(actor, headerOf(c, 'assay-tenant'));
  };
  const admitLater = async (c: ApiContext, found: Actor | Promise<Actor>, limited: Promise<void> | undefined) => {
    const actor = await found;
    await (limited ?? limitRate(actor));
    enter(c, actor);
  };
  return (c) => {
    const authorization = headerOf(c, 'authorization');
    const apiKey = authorization === undefined ? headerOf(c, 'x-api-key') : undefined;
    const found = authenticate(presentedKey(authorization, apiKey));
    if (found instanceof Promise) return admitLater(c, found, undefined);
    const limited = limitRate(found);
    if (limited !== undefined) return admitLater(c, found, limited);
    enter(c, found);
    return undefined;
  };
};
