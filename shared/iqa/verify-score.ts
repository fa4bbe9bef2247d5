import * as z from 'zod';
import { Fault } from '../kernel/errors.ts';
import { invalidInput } from '../kernel/zod-fault.ts';
import { findFlaw, type PublishedKey } from './hallmark.ts';
import { Hallmark } from './hallmark-statement.ts';
import { findReportFlaw, ReportHallmark } from './report-hallmark.ts';
import type { ScoreReport } from './score.ts';

/** The parts of a score document that its hallmarks sign. */
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

/** The result for one score, by the name of its tool, or for the whole answer. */
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
  return [...scores.map(verifyOne), ...verdictOfAll(document, parsed.data.hallmark, keys)];

  function verifyOne({ hallmark, ...score }: (typeof scores)[number]): Verdict {
    const shown = { ...score, image: image.sha256, reference: reference?.sha256 };
    const reason = hallmark ? (findFlaw(hallmark, keys) ?? findMismatch(hallmark, shown)) : 'it carries no hallmark';
    return reason === undefined ? { tool: score.tool, valid: true } : { tool: score.tool, valid: false, reason };
  }
};

/** The `tool` of the verdict on the hallmark of a whole answer. */
export const WHOLE_ANSWER = 'the whole answer';

/** Earlier releases signed only single scores, so a missing hallmark is no error. */
const verdictOfAll = (
  document: unknown,
  hallmark: ReportHallmark | undefined,
  keys: readonly PublishedKey[],
): readonly Verdict[] => {
  if (!hallmark) return [];
  const reason = findReportFlaw(hallmark, document as ScoreReport, keys);
  return [reason === undefined ? { tool: WHOLE_ANSWER, valid: true } : { tool: WHOLE_ANSWER, valid: false, reason }];
};

interface ShownScore {
  readonly tool: string;
  readonly version?: string | undefined;
  readonly raw?: number | undefined;
  readonly normalized?: number | undefined;
  readonly image: string;
  readonly reference?: string | undefined;
}

// A valid signature beside changed figures must not pass.
const findMismatch = ({ statement }: Hallmark, shown: ShownScore): string | undefined => {
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['tool', shown.tool, statement.tool],
    ['version', shown.version ?? statement.version, statement.version],
    ['raw', shown.raw, statement.raw],
    ['normalized', shown.normalized, statement.normalized],
    ['image', shown.image, statement.image_sha256],
    // A no-reference tool did not sign the reference that others compared with.
    [
      'reference',
      statement.reference_sha256 && (shown.reference ?? statement.reference_sha256),
      statement.reference_sha256,
    ],
  ];
  const wrong = pairs.find(([, says, signed]) => says !== signed);
  return wrong && `${wrong[0]} says ${String(wrong[1])}, the hallmark ${String(wrong[2])}`;
};
