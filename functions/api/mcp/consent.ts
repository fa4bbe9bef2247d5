import {
  type CallToolResult,
  type ClientCapabilities,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import { hasScope } from '../../../shared/access/scopes.ts';
import type { Assay } from '../../../shared/assay.ts';
import { decideConfirmation } from '../../../shared/execute/confirmations.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { isObject } from '../../../shared/kernel/json.ts';
import type { Actor } from '../../../shared/model/key.ts';
import { consentUrl } from '../consent-link.ts';
import type { CallContext } from './call-context.ts';
import { refusalResult } from './result.ts';

const QUESTION = 'consent';
/** The `_meta` field in which a client that cannot ask a person sends a token that another key has approved. */
const CONFIRMATION_META = 'assay/confirmation';
const SHOWN_ARGUMENTS = 2000;

export interface Consent {
  readonly answer: 'none' | 'accepted' | 'declined';
  readonly token?: string;
}

/** The person's answer in the second round of a call, with the token from the first one. */
export const readConsent = (ctx: CallContext): Consent => {
  const state = ctx.mcpReq.requestState<unknown>();
  const token = typeof state === 'string' ? state : undefined;
  const said = inputResponse(ctx.mcpReq.inputResponses, QUESTION);
  if (said.kind === 'elicit') return { answer: said.action === 'accept' ? 'accepted' : 'declined', token };
  const sent = ctx.mcpReq._meta?.[CONFIRMATION_META];
  return typeof sent === 'string' ? { answer: 'accepted', token: sent } : { answer: 'none' };
};

interface Asking {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly actor: Actor;
  readonly consent: Consent;
  readonly capabilities: ClientCapabilities | undefined;
  readonly console: string | undefined;
}

/** The question to the person, if the refusal can be resolved by consent and the client can ask for it. */
export const askConsent = (fault: Fault, asking: Asking): InputRequiredResult | undefined => {
  const asked = readQuestion(fault);
  // Asking again about what was just accepted would never end.
  if (asked === undefined || asking.consent.answer !== 'none') return undefined;
  const request = elicitation(asking, asked);
  return request && inputRequired({ inputRequests: { [QUESTION]: request }, requestState: asked.token });
};

/**
 * A form if the key may consent and the form shows everything; otherwise the console's page, if the client can open it.
 */
const elicitation = (asking: Asking, { id, token }: Asked): InputRequest | undefined => {
  const { actor, capabilities, console: place } = asking;
  const text = JSON.stringify(asking.args);
  const isForm = canAsk(capabilities);
  if (capabilities?.elicitation?.url && place !== undefined && !(isForm && mayConsent(actor) && isShort(text)))
    return inputRequired.elicitUrl({
      message: `${asking.tool} needs consent: open the page, approve the confirmation ${id}, then go on here.`,
      url: consentUrl(place),
    });
  if (!isForm) return undefined;
  const message = writeMessage(asking, text, { id, token });
  return inputRequired.elicit({ mode: 'form', message, requestedSchema: { type: 'object', properties: {} } });
};

/** Records that the person refused; returns the refusal of the call. */
export const declined = async (
  assay: Assay,
  actor: Actor,
  tool: string,
  token: string | undefined,
): Promise<CallToolResult> => {
  if (token !== undefined) await refuseQuestion(assay, actor, token);
  return refusalResult({ code: 'Forbidden', message: `the person declined to run ${tool}` });
};

/** Refuses a question; one that was already decided or has expired is unchanged. */
export const refuseQuestion = async (assay: Assay, actor: Actor, token: string): Promise<void> => {
  await decideConfirmation(assay, actor, { token }, false).catch((thrown: unknown) => {
    if (!(thrown instanceof Fault)) throw thrown;
  });
};

interface Asked {
  readonly id: string;
  readonly token: string;
}

const readQuestion = ({ code, details }: Fault): Asked | undefined => {
  if (code !== 'ConfirmationRequired' || !isObject(details.confirmation)) return undefined;
  const { id, token } = details.confirmation;
  return typeof token === 'string' ? { id: String(id), token } : undefined;
};

/** Whether a client can show forms to a person. An empty capability means forms, because modes were added later. */
export const canAsk = (capabilities: ClientCapabilities | undefined): boolean => {
  const { elicitation } = capabilities ?? {};
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
};

const writeMessage = ({ tool, actor, console: place }: Asking, text: string, { id, token }: Asked): string => {
  const where = `GET /v1/confirmations/${id}${place === undefined ? '' : ` and ${consentUrl(place)}`}`;
  const rest = `… and ${text.length - SHOWN_ARGUMENTS} more characters, which ${where} show`;
  const question = `Run ${tool} with ${isShort(text) ? text : text.slice(0, SHOWN_ARGUMENTS) + rest}?`;
  if (mayConsent(actor)) return question;
  return `${question} This key may not consent: have someone with an approving key send {"token": "${token}", "approve": true} to POST /v1/confirmations, then accept.`;
};

const isShort = (text: string): boolean => text.length <= SHOWN_ARGUMENTS;

export const mayConsent = (actor: Actor): boolean => hasScope(actor, 'approve');
