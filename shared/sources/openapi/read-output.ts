import { Fault, shorten } from '../../kernel/errors.ts';
import { hideSecretBytes, hideSecrets, type SentCredentials } from '../send-credentials.ts';
import type { Operation } from './operations.ts';

const MAX_SAID = 1000;

/** A tool's output from its upstream's response; an error status is the tool's failure. */
export const readOutput = async (
  response: Response,
  { method, path }: Operation,
  sent: SentCredentials,
): Promise<unknown> => {
  const type = response.headers.get('content-type') ?? '';
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (response.ok) return outputOf(type, bytes, sent);
  const said = isText(type) ? hideSecrets(decode(bytes), sent).trim() : '';
  throw new Fault(
    'ToolExecutionError',
    `${method} ${path} answered ${response.status}${said ? `: ${shorten(said, MAX_SAID)}` : ''}`,
    {
      status: response.status,
    },
  );
};

const outputOf = (type: string, bytes: Uint8Array, sent: SentCredentials): unknown => {
  if (bytes.byteLength === 0) return null;
  if (!isText(type)) {
    const base64 = Buffer.from(hideSecretBytes(bytes, sent)).toString('base64');
    return { content_type: type || 'application/octet-stream', bytes: bytes.byteLength, base64 };
  }
  const text = hideSecrets(decode(bytes), sent);
  if (/json/i.test(type)) return parsed(text);
  return /^application\/x-www-form-urlencoded\b/i.test(type) ? formFields(text) : text;
};

const isText = (type: string): boolean =>
  type === '' || /^text\/|json|xml|yaml|javascript|x-www-form-urlencoded/i.test(type);

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // JSON lines, or a wrong content type: the text is more useful than an error.
    return text;
  }
};

const formFields = (text: string): Readonly<Record<string, string | readonly string[]>> => {
  const fields = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(fields.keys())].map((name) => {
      const values = fields.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
};
