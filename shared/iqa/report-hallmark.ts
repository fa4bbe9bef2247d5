import * as z from 'zod';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { findFlaw, type PublishedKey, type Stamp } from './hallmark.ts';
import type { ScoreReport } from './score.ts';

/** What the hallmark of a whole answer vouches for: everything it shows of the picture, its scores and what they sum to. */
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

type Shown = Pick<ScoreReport, 'image' | 'reference' | 'scores' | 'overall'>;

/** Signs an answer as it is shown. */
export const stampReport = (stamp: Stamp, report: Shown, at: string): ReportHallmark =>
  stamp(ReportStatement.parse({ v: 2, ...shownOf(report), at }));

/** Why the hallmark of an answer does not hold, or what was changed beside it; undefined when it does. */
export const findReportFlaw = (
  hallmark: ReportHallmark,
  shown: Shown,
  keys: readonly PublishedKey[],
): string | undefined => {
  const flaw = findFlaw(hallmark, keys);
  if (flaw !== undefined) return flaw;
  const says = shownOf(shown);
  const wrong = (['image', 'reference', 'scores', 'overall'] as const).find(
    (part) => canonicalJson(says[part]) !== canonicalJson(hallmark.statement[part]),
  );
  return wrong && `${wrong} says ${cut(says[wrong])}, the hallmark ${cut(hallmark.statement[wrong])}`;
};

/** Durations and cache hits are not signed: they differ from call to call. */
const shownOf = ({ image, reference, scores, overall }: Shown) =>
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

const cut = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 120)}...` : text;
};
