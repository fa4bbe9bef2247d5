import { asRecord } from '../json.ts';
import { CallDrafts } from './call-drafts.ts';
import type { Reader } from './reader.ts';

/** MCP's messages: a request of tools/call, or the params of one. */
export function mcpReader(): Reader {
  const drafts = new CallDrafts();
  return {
    drafts,
    event(message) {
      if (message.method !== undefined && message.method !== 'tools/call') return;
      const params = asRecord(message.params ?? message);
      if (message.method === undefined && params.name === undefined) return;
      const value = params.arguments === null ? 'null' : (params.arguments ?? {});
      drafts.whole({ id: message.id, name: params.name, value });
    },
  };
}
