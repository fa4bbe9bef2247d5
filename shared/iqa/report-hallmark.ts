import * as z from 'zod';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { shorten } from '../kernel/errors.ts';
import { findFlaw, type PublishedKey, type Stamp } from './hallmark.ts';
import type { ScoreReport } from './score.ts';

/** What the hallmark of a report signs: the picture, its reference, all scores and the overall score. */
const ReportStatement = z.strictObject({
  v: z.literal(2),
  image: z.strictObject({ sha256: z.string(), width: z.int(), height: z.int(), format: z.string() }),
  reference: z.strictObject({ sha256: z.string() }).nullable(),
  scores: z.array(
    z.strictObject({
      tool: z.string(),
      version: z.string().optional(),
      raw: z.number().optional(),
      normalized: z.number().optional(),
      low: z.number().optional(),
      high: z.number().optional(),
      limits: z.string().optional(),
      error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
    }),
  ),
  overall: z.record(z.string(), z.unknown()).nullable(),
  at: z.iso.datetime(),
});
type ReportStatement = Readonly<z.infer<typeof ReportStatement>>;

export const ReportHallmark = z.strictObject({
  statement: ReportStatement,
  key_id: z.string(),
  signature: z.base64url(),
});
export type ReportHallmark = Readonly<z.infer<typeof ReportHallmark>>;

type SignedFields = Pick<ScoreReport, 'image' | 'reference' | 'scores' | 'overall'>;

/** Signs a report. */
export const stampReport = (stamp: Stamp, report: SignedFields, at: string): ReportHallmark =>
  stamp(ReportStatement.parse({ v: 2, ...signedParts(report), at }));

/** Why the hallmark of a report is not valid, or which part was changed; undefined when all is well. */
export const findReportFlaw = (
  hallmark: ReportHallmark,
  shown: SignedFields,
  keys: readonly PublishedKey[],
): string | undefined => {
  const flaw = findFlaw(hallmark, keys);
  if (flaw !== undefined) return flaw;
  const says = signedParts(shown);
  const wrong = (['image', 'reference', 'scores', 'overall'] as const).find(
    (part) => canonicalJson(says[part]) !== canonicalJson(hallmark.statement[part]),
  );
  return wrong && `${wrong} says ${truncate(says[wrong])}, the hallmark ${truncate(hallmark.statement[wrong])}`;
};

/** The signed parts as JSON. Durations and cache hits differ from call to call, so they are not signed. */
const signedParts = ({ image, reference, scores, overall }: SignedFields) =>
  JSON.parse(
    JSON.stringify({
      image,
      reference: reference ?? null,
      scores: scores.map(({ tool, version, raw, normalized, low, high, limits, error }) => ({
        tool,
        version,
        raw,
        normalized,
        low,
        high,
        limits,
        error,
      })),
      overall,
    }),
  ) as Pick<ReportStatement, 'image' | 'reference' | 'scores' | 'overall'>;

const truncate = (value: unknown): string => shorten(JSON.stringify(value), 120);
