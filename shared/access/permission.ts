import type { Permission } from '../model/tool.ts';

const rank: Record<Permission, number> = { safe: 0, confirm: 1, dangerous: 2 };

const stricter = (a: Permission, b: Permission): Permission => (rank[a] >= rank[b] ? a : b);

/** The permission in force for a tool: a definition may be stricter than its handler, never laxer. */
export const effectivePermission = (
  handler: { readonly permission?: Permission | undefined } | undefined,
  definition: { readonly permission?: Permission | undefined },
): Permission => stricter(handler?.permission ?? 'safe', definition.permission ?? 'safe');

/** The strictest of several permissions; `safe` when there are none. */
export const strictest = (permissions: readonly Permission[]): Permission => permissions.reduce(stricter, 'safe');
