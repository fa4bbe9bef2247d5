import { Fault } from '../../kernel/errors.ts';

/** The mean opinion of one picture on 1..5, and the raw scores that metrics give it. */
export interface Opinion {
  readonly reference: string;
  readonly distortion: number;
  readonly level: number;
  readonly opinion: number;
  readonly raw: Readonly<Record<string, number>>;
}

/** TID2013's worst and best mean opinions on its scale of 0..9, which become 1 and 5. */
const [LOWEST, HIGHEST] = [0.24, 7.21];

/** The kinds of distortion of TID2013 (Ponomarenko and others 2015), numbered from 1. */
export const TID2013_KINDS = [
  'additive noise',
  'noise in colour components',
  'spatially correlated noise',
  'masked noise',
  'high-frequency noise',
  'impulse noise',
  'quantisation noise',
  'Gaussian blur',
  'denoising',
  'JPEG',
  'JPEG 2000',
  'JPEG transmission errors',
  'JPEG 2000 transmission errors',
  'pattern noise',
  'local blocks',
  'mean shift',
  'contrast change',
  'colour saturation',
  'multiplicative noise',
  'comfort noise',
  'compression of noisy pictures',
  'colour quantisation with dither',
  'chromatic aberration',
  'sparse sampling',
] as const;

const FACTS = ['image', 'reference', 'distortion', 'level', 'mos', 'mos_std'];

/** Reads a table with the columns of FACTS and one for each metric. */
export const parseOpinions = (text: string): readonly Opinion[] => {
  const [head = [], ...lines] = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','));
  const missing = FACTS.filter((name) => !head.includes(name));
  if (missing.length > 0)
    throw new Fault(
      'InvalidInput',
      `the table of opinions lacks the columns ${missing.join(', ')}; its first line names the columns`,
    );
  const metrics = head.filter((name) => !FACTS.includes(name));
  return lines.map((cells, at) => {
    const number = (name: string): number => {
      const value = Number(cells[head.indexOf(name)] || Number.NaN);
      if (Number.isFinite(value)) return value;
      throw new Fault('InvalidInput', `line ${at + 2} of the table of opinions has no number for ${name}`);
    };
    return {
      reference: cells[head.indexOf('reference')] ?? '',
      distortion: number('distortion'),
      level: number('level'),
      opinion: 1 + (4 * (number('mos') - LOWEST)) / (HIGHEST - LOWEST),
      raw: Object.fromEntries(metrics.map((name) => [name, number(name)])),
    };
  });
};
