import { createHash, createHmac } from 'node:crypto';
import { decodeBase64 } from './base64.ts';
import { type Builtin, defineBuiltin, objectSchema, textArgument } from './builtin.ts';

const ALGORITHMS = ['sha256', 'sha384', 'sha512', 'sha3-256', 'sha1', 'md5'] as const;

export const hash: Builtin = {
  work: 'linear',
  definition: defineBuiltin({
    name: 'hash',
    description:
      'Computes the hash, digest or checksum of a text or of bytes: MD5, SHA-1, SHA-256 or SHA-512; with a key, the HMAC that proves who wrote it.',
    category: 'encoding',
    tags: ['hash', 'digest', 'checksum', 'sha256', 'hmac'],
    scenarios: ['system_operations', 'development'],
    intents: ['calculate'],
    parameters: {
      text: { type: 'string', description: 'The text, hashed as UTF-8 bytes unless input says otherwise.' },
      input: { type: 'string', enum: ['text', 'base64'], default: 'text', description: 'How to read the text.' },
      algorithm: { type: 'string', enum: [...ALGORITHMS], default: 'sha256' },
      encoding: { type: 'string', enum: ['hex', 'base64', 'base64url'], default: 'hex' },
      key: { type: 'string', writeOnly: true, 'x-sensitive': true, description: 'A secret: gives the HMAC.' },
    },
    required: ['text'],
    output: objectSchema({
      algorithm: { type: 'string' },
      digest: { type: 'string' },
      bytes: { type: 'integer', description: 'How many bytes were hashed.' },
    }),
  }),
  run: (args) => {
    const text = textArgument(args, 'text');
    const bytes = args.input === 'base64' ? decodeBase64(text, 'text') : Buffer.from(text);
    const algorithm = textArgument(args, 'algorithm');
    const hashing = args.key === undefined ? createHash(algorithm) : createHmac(algorithm, textArgument(args, 'key'));
    const digest = hashing.update(bytes).digest(args.encoding as 'hex' | 'base64' | 'base64url');
    return { algorithm: args.key === undefined ? algorithm : `hmac-${algorithm}`, digest, bytes: bytes.length };
  },
};
