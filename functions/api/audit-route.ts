import { audit, type RouteAction } from '../../shared/execute/audit.ts';
import { isObject } from '../../shared/kernel/json.ts';
import type { Api, ApiContext } from './env.ts';
import { actorOf, headerOf, stateOf } from './request-state.ts';
import type { AnyReply } from './route.ts';

/** Writes an action to the audit log of the tenant that it affects, also when an operator acts for that tenant. */
export const auditReply = async (
  api: Api,
  c: ApiContext,
  action: RouteAction | undefined,
  { reply, sent }: { readonly reply: AnyReply; readonly sent: unknown },
): Promise<void> => {
  const status = reply.status;
  const entered = action ?? (isForOther(c) ? 'acted-for-tenant' : undefined);
  if (entered === undefined || status >= 400) return;
  const { tenant, keyId } = actorOf(c);
  const params = c.req.param() as Readonly<Record<string, string | undefined>>;
  const made = 'value' in reply && isObject(reply.value) ? reply.value : {};
  const name = params.name ?? made.name ?? (isObject(sent) ? sent.name : undefined);
  await audit(api, params.tenant ?? tenant, {
    action: entered,
    by: keyId,
    tool: entered.startsWith('tool-') ? String(name ?? '') : '',
    about: {
      method: c.req.method,
      path: c.req.path,
      id: made.id ?? params.id,
      name,
      request_id: stateOf(c).requestId,
    },
  });
};

/** Only an admin key may name another tenant. */
export const isForOther = (c: ApiContext): boolean =>
  c.req.method !== 'GET' && headerOf(c, 'assay-tenant') !== undefined;
