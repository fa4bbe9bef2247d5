import type { ServerContext } from '@modelcontextprotocol/server';

type Used = '_meta' | 'envelope' | 'inputResponses' | 'requestState' | 'signal' | 'notify' | 'log' | 'send';

/** What a tool call reads of its request and says to its client: the part of the package's context that is used. */
export interface CallContext {
  readonly mcpReq: Pick<ServerContext['mcpReq'], Used>;
}
