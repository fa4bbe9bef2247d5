import type { ServerContext } from '@modelcontextprotocol/server';

type Used = '_meta' | 'envelope' | 'inputResponses' | 'requestState' | 'signal' | 'notify' | 'log' | 'send';

/** The part of the package's request context that tool calls use. */
export interface CallContext {
  readonly mcpReq: Pick<ServerContext['mcpReq'], Used>;
}
