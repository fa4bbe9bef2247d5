import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { WeightsFile } from '../../iqa/metric.ts';
import { Fault, messageOf } from '../../kernel/errors.ts';

// Written out, so that a bundler finds the file and puts it beside the program.
const PLACES: Readonly<Record<string, URL>> = {
  'lpips-alex.safetensors': new URL('../../../metadata/models/lpips-alex.safetensors', import.meta.url),
};

/** Reads a shipped file of weights and compares its digest: altered weights never score a picture. */
export const readWeights = ({ name, sha256 }: WeightsFile, places = PLACES): Uint8Array => {
  const bytes = read(name, places);
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found === sha256) return bytes;
  const text = `the weights ${name} are not those that ship (SHA-256 ${found} instead of ${sha256}); restore the file`;
  throw new Fault('Unavailable', text, { file: name, sha256: found });
};

const read = (name: string, places: Readonly<Record<string, URL>>): Uint8Array => {
  const place = places[name];
  if (!place) throw new Fault('Unavailable', `no weights of the name ${name} ship`, { file: name });
  try {
    return readFileSync(place);
  } catch (cause) {
    const text = `the weights ${name} cannot be read (${messageOf(cause)}); restore the file`;
    throw new Fault('Unavailable', text, { file: name }, { cause });
  }
};
