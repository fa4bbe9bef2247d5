import { Fault } from '../../kernel/errors.ts';
import { type Builtin, defineBuiltin, objectSchema, textArgument } from './builtin.ts';

export const base64: Builtin = {
  work: 'linear',
  definition: defineBuiltin({
    name: 'base64',
    description: 'Encodes a text as Base64, or decodes Base64 to the text it stands for.',
    category: 'encoding',
    tags: ['base64', 'encode', 'decode'],
    scenarios: ['development', 'text_and_language'],
    intents: ['convert'],
    parameters: {
      action: { type: 'string', enum: ['encode', 'decode'] },
      text: { type: 'string', description: 'The text to encode, or the Base64 to decode.' },
      url_safe: { type: 'boolean', default: false, description: 'Encode with - and _ and without padding.' },
    },
    required: ['action', 'text'],
    output: objectSchema({ result: { type: 'string' }, bytes: { type: 'integer' } }),
  }),
  run: (args) => {
    const text = textArgument(args, 'text');
    if (args.action === 'decode') {
      const bytes = decodeBase64(text, 'text');
      return { result: readUtf8(bytes), bytes: bytes.length };
    }
    const bytes = Buffer.from(text);
    return { result: bytes.toString(args.url_safe === true ? 'base64url' : 'base64'), bytes: bytes.length };
  },
};

// Both alphabets are read, and padding is optional; Buffer would silently skip any other character.
const SHAPE = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Decodes Base64; any other text is refused. */
export const decodeBase64 = (text: string, field: string): Buffer => {
  const plain = text.replace(/\s+/g, '');
  if (SHAPE.test(plain) && plain.replace(/=+$/, '').length % 4 !== 1) return Buffer.from(plain, 'base64');
  throw new Fault('InvalidInput', `${field} is not Base64: letters, digits, + / or - _, and = at the end`, { field });
};

const readUtf8 = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Fault('InvalidInput', 'text decodes to bytes that are not UTF-8 text', { field: 'text' }, { cause });
  }
};
