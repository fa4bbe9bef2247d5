import type { ClientCapabilities } from '@modelcontextprotocol/server';
import { isObject } from '../../../shared/kernel/json.ts';
import { omitUndefined } from '../../../shared/kernel/omit-undefined.ts';

/** The client's capabilities from initialize. They are encoded in the session id, so that no state is kept here. */
export interface Session {
  readonly protocolVersion: string;
  readonly capabilities: ClientCapabilities;
}

type Forms = NonNullable<ClientCapabilities['elicitation']>;

const MARK = 'assay1.';
const MAX_LENGTH = 1024;

/**
 * A session id that tells whether the client can be asked. It is not signed: the claims only concern how the client
 * itself is addressed, and give it nothing that its key does not.
 */
export const writeSession = ({ protocolVersion, capabilities }: Session, nonce: string): string => {
  const { elicitation, sampling } = capabilities;
  const told = {
    p: protocolVersion,
    e: elicitation && knownForms(elicitation),
    s: sampling && {},
    n: nonce,
  };
  return MARK + Buffer.from(JSON.stringify(told)).toString('base64url');
};

export const readSession = (id: string): Session | undefined => {
  if (!id.startsWith(MARK) || id.length > MAX_LENGTH) return undefined;
  const told = parse(Buffer.from(id.slice(MARK.length), 'base64url').toString());
  if (!isObject(told) || typeof told.p !== 'string') return undefined;
  return {
    protocolVersion: told.p,
    capabilities: omitUndefined({
      elicitation: isObject(told.e) ? knownForms(told.e) : undefined,
      sampling: isObject(told.s) ? {} : undefined,
    }),
  };
};

/** The ways of asking that a client declares; a client without any can show forms. */
const knownForms = ({ form, url }: Readonly<Record<string, unknown>>): Forms => {
  const forms: Forms = {};
  if (form !== undefined) forms.form = {};
  if (url !== undefined) forms.url = {};
  return forms;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
