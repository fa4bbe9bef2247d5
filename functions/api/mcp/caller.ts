import type { AuthInfo } from '@modelcontextprotocol/server';
import type { OnceOnly } from '../../../shared/execute/call.ts';
import type { Actor } from '../../../shared/model/key.ts';

/** The MCP caller, and how much of the catalogue its model sees. */
export interface McpCaller {
  readonly actor: Actor;
  readonly requestId: string;
  /** The call of an Idempotency-Key. */
  readonly once?: OnceOnly | undefined;
  /** The console's address; undefined where there is none. */
  readonly console?: string | undefined;
  /** Whether to list only find_tools and call_tool instead of the catalogue. */
  readonly isSearch: boolean;
}

/** Passes the caller through the package's handler, without its key. */
export const toAuthInfo = (caller: McpCaller): AuthInfo => ({
  token: '',
  clientId: caller.actor.keyId,
  scopes: [...caller.actor.scopes],
  extra: { caller },
});

export const readCaller = (info: AuthInfo | undefined): McpCaller => {
  const caller = info?.extra?.caller;
  if (caller === undefined) throw new Error('an MCP request was served without its caller');
  return caller as McpCaller;
};
