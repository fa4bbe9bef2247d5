import * as z from 'zod';
import { Fault } from '../kernel/errors.ts';
import { invalidInput } from '../kernel/zod-fault.ts';
import { findFlaw, type PublishedKey } from './hallmark.ts';
import { Hallmark } from './hallmark-statement.ts';
import { findReportFlaw, ReportHallmark } from './report-hallmark.ts';
import type { ScoreReport } from './score.ts';

/** As much of a score document as its hallmarks vouch for. */
const SignedScores = z.looseObject({
  image: z.looseObject({ sha256: z.string() }),
  reference: z.looseObject({ sha256: z.string() }).nullish(),
  scores: z.array(
    z.looseObject({
      tool: z.string(),
      version: z.string().optional(),
      raw: z.number().optional(),
      normalized: z.number().optional(),
      hallmark: Hallmark.optional(),
    }),
  ),
  hallmark: ReportHallmark.optional(),
});

/** Of a score by its tool's name, or of the whole answer. */
export interface Verdict {
  readonly tool: string;
  readonly valid: boolean;
  readonly reason?: string;
}

/** Checks every score of a document against its hallmark and the published keys; needs no network. */
export const verifyScores = (document: unknown, keys: readonly PublishedKey[]): readonly Verdict[] => {
  const parsed = SignedScores.safeParse(document);
  if (!parsed.success) throw invalidInput(parsed.error, document, 'the score document');
  const { image, reference, scores } = parsed.data;
  if (scores.length === 0) throw new Fault('InvalidInput', 'the score document has no scores', { field: 'scores' });
  return [...scores.map(verdictOf), ...verdictOfAll(document, parsed.data.hallmark, keys)];

  function verdictOf({ hallmark, ...score }: (typeof scores)[number]): Verdict {
    const shown = { ...score, image: image.sha256, reference: reference?.sha256 };
    const reason = hallmark ? (findFlaw(hallmark, keys) ?? findLie(hallmark, shown)) : 'it carries no hallmark';
    return reason === undefined ? { tool: score.tool, valid: true } : { tool: score.tool, valid: false, reason };
  }
};

/** What the verdict on the hallmark of a whole answer is called. */
export const WHOLE_ANSWER = 'the whole answer';

/** Documents of earlier releases vouch for each score alone. */
const verdictOfAll = (
  document: unknown,
  hallmark: ReportHallmark | undefined,
  keys: readonly PublishedKey[],
): readonly Verdict[] => {
  if (!hallmark) return [];
  const reason = findReportFlaw(hallmark, document as ScoreReport, keys);
  return [reason === undefined ? { tool: WHOLE_ANSWER, valid: true } : { tool: WHOLE_ANSWER, valid: false, reason }];
};

interface Shown {
  readonly tool: string;
  readonly version?: string | undefined;
  readonly raw?: number | undefined;
  readonly normalized?: number | undefined;
  readonly image: string;
  readonly reference?: string | undefined;
}

// A sound signature beside figures that somebody has changed must not pass.
const findLie = ({ statement }: Hallmark, shown: Shown): string | undefined => {
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['tool', shown.tool, statement.tool],
    ['version', shown.version ?? statement.version, statement.version],
    ['raw', shown.raw, statement.raw],
    ['normalized', shown.normalized, statement.normalized],
    ['image', shown.image, statement.image_sha256],
    // A tool that looked at one picture alone says nothing of the reference others compared with.
    [
      'reference',
      statement.reference_sha256 && (shown.reference ?? statement.reference_sha256),
      statement.reference_sha256,
    ],
  ];
  const wrong = pairs.find(([, says, signed]) => says !== signed);
  return wrong && `${wrong[0]} says ${String(wrong[1])}, the hallmark ${String(wrong[2])}`;
};
