import { isObject } from '../../../shared/kernel/json.ts';
import type { Tool } from '../../../shared/model/tool.ts';

/** The `_meta` field by which a client asks for signed scores. */
export const HALLMARK_META = 'assay/hallmark';

/** Removes signatures from scores: they are for programs, so a model gets them only on request. */
export const withoutHallmarks = (output: unknown): unknown => {
  if (!isObject(output)) return output;
  const { hallmark: _, ...rest } = output;
  return Array.isArray(rest.scores) ? { ...rest, scores: rest.scores.map(withoutHallmarks) } : rest;
};

/** Whether a tool's outputs contain our signatures. */
export const isSigned = ({ implementation }: Pick<Tool, 'implementation'>): boolean =>
  implementation?.type === 'internal' && implementation.handler === 'iqa';
