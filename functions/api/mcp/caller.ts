import type { AuthInfo } from '@modelcontextprotocol/server';
import type { OnceOnly } from '../../../shared/execute/call.ts';
import type { Actor } from '../../../shared/model/key.ts';

/** Who speaks MCP to us, and how much of the catalogue is to be in the model's context. */
export interface McpCaller {
  readonly actor: Actor;
  readonly requestId: string;
  /** The call that an Idempotency-Key stands for. */
  readonly once?: OnceOnly | undefined;
  /** Where a person finds the console; undefined where there is none. */
  readonly console?: string | undefined;
  /** Two tools, find_tools and call_tool, instead of the catalogue. */
  readonly isSearch: boolean;
}

/** Carries the caller through the protocol's own handler. The key itself stays outside. */
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
