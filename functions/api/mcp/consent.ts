import {
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { hasScope } from '../../../shared/access/scopes.ts';
import type { Assay } from '../../../shared/assay.ts';
import { decideConfirmation } from '../../../shared/execute/confirmations.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { isObject } from '../../../shared/kernel/json.ts';
import type { Actor } from '../../../shared/model/key.ts';
import { refusalResult } from './result.ts';

const QUESTION = 'consent';
/** A client that cannot ask a person may send the token that another key has approved. */
const CONFIRMATION_META = 'assay/confirmation';
const SHOWN_ARGUMENTS = 1000;

export interface Consent {
  readonly answer: 'none' | 'accepted' | 'declined';
  readonly token?: string;
}

/** What the person said, when this is the second round of a call, with the token that the first one gave. */
export const readConsent = (ctx: ServerContext): Consent => {
  const state = ctx.mcpReq.requestState<unknown>();
  const token = typeof state === 'string' ? { token: state } : {};
  const said = inputResponse(ctx.mcpReq.inputResponses, QUESTION);
  if (said.kind === 'elicit') return { answer: said.action === 'accept' ? 'accepted' : 'declined', ...token };
  const sent = ctx.mcpReq._meta?.[CONFIRMATION_META];
  return typeof sent === 'string' ? { answer: 'accepted', token: sent } : { answer: 'none' };
};

interface Asking {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly actor: Actor;
  readonly consent: Consent;
  readonly capabilities: ClientCapabilities | undefined;
}

/** The question for the person, when a refusal can be answered by consent and the client can ask for it. */
export const askConsent = (fault: Fault, asking: Asking): InputRequiredResult | undefined => {
  const token = tokenOf(fault);
  // Asking again what was just accepted would never end.
  if (token === undefined || asking.consent.answer !== 'none' || !canAsk(asking.capabilities)) return undefined;
  return inputRequired({
    inputRequests: {
      [QUESTION]: inputRequired.elicit({
        mode: 'form',
        message: messageOf(asking, token),
        requestedSchema: { type: 'object', properties: {} },
      }),
    },
    requestState: token,
  });
};

/** Puts down that the person said no, and tells the call. */
export const declined = async (
  assay: Assay,
  actor: Actor,
  tool: string,
  token: string | undefined,
): Promise<CallToolResult> => {
  if (token !== undefined)
    await decideConfirmation(assay, actor, { token }, false).catch((thrown: unknown) => {
      // It was decided, or has expired, before.
      if (!(thrown instanceof Fault)) throw thrown;
    });
  return refusalResult({ code: 'Forbidden', message: `the person declined to run ${tool}` });
};

const tokenOf = ({ code, details }: Fault): string | undefined => {
  if (code !== 'ConfirmationRequired' || !isObject(details.confirmation)) return undefined;
  const { token } = details.confirmation;
  return typeof token === 'string' ? token : undefined;
};

/** Whether a client can show forms to a person. An empty capability means forms: the modes came later. */
export const canAsk = (capabilities: ClientCapabilities | undefined): boolean => {
  const { elicitation } = capabilities ?? {};
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
};

const messageOf = ({ tool, args, actor }: Asking, token: string): string => {
  const text = JSON.stringify(args);
  const shown = text.length > SHOWN_ARGUMENTS ? `${text.slice(0, SHOWN_ARGUMENTS)}…` : text;
  const question = `Run ${tool} with ${shown}?`;
  if (mayConsent(actor)) return question;
  return `${question} This key may not consent: have someone with an approving key send {"token": "${token}", "approve": true} to POST /v1/confirmations, then accept.`;
};

export const mayConsent = (actor: Actor): boolean => hasScope(actor, 'approve');
