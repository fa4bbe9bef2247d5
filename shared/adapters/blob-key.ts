import { Fault } from '../kernel/errors.ts';

const MAX_BYTES = 1024;

/** Refuses a key that S3 or a folder cannot hold, or that would lead out of the folder. */
export const checkBlobKey = (key: string): void => {
  const reason = whyNot(key);
  if (reason === undefined) return;
  throw new Fault('InvalidInput', `the key ${JSON.stringify(key.slice(0, 100))} ${reason}`, {
    field: 'key',
    value: key.slice(0, 100),
  });
};

const whyNot = (key: string): string | undefined => {
  if (key === '') return 'is empty';
  if (!key.isWellFormed()) return 'is not valid Unicode';
  if (Buffer.byteLength(key) > MAX_BYTES) return `has more than ${MAX_BYTES} bytes`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f\\]/.test(key)) return 'has a control character or a backslash';
  if (key.split('/').some((part) => part === '' || part === '.' || part === '..'))
    return 'has an empty part, . or .. between its slashes';
  return undefined;
};

/** Keys in the order of their UTF-8 bytes, as S3 lists them. */
export const sortKeys = (keys: readonly string[]): readonly string[] =>
  keys
    .map((key) => ({ key, bytes: Buffer.from(key) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ key }) => key);
