import {
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import type { Fault } from '../../../shared/kernel/errors.ts';
import { isObject } from '../../../shared/kernel/json.ts';
import type { CallContext } from './call-context.ts';

const QUESTION = 'account';

/** Asks the client to open the page for connecting an account; undefined if it cannot, or was asked already. */
export const askAccount = (
  { code, message, details: { account } }: Fault,
  ctx: CallContext,
  capabilities: ClientCapabilities | undefined,
): InputRequiredResult | undefined => {
  if (code !== 'AccountRequired' || !isObject(account) || typeof account.url !== 'string') return undefined;
  if (!capabilities?.elicitation?.url || inputResponse(ctx.mcpReq.inputResponses, QUESTION).kind === 'elicit')
    return undefined;
  return inputRequired({ inputRequests: { [QUESTION]: inputRequired.elicitUrl({ message, url: account.url }) } });
};
