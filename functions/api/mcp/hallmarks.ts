import { isObject } from '../../../shared/kernel/json.ts';
import type { Tool } from '../../../shared/model/tool.ts';

/** A client that wants scores signed says so in the `_meta` of its call. */
export const HALLMARK_META = 'assay/hallmark';

/** Signatures of scores are for programs: a model gets them when it asks. */
export const withoutHallmarks = (output: unknown): unknown => {
  if (!isObject(output)) return output;
  const { hallmark: _, ...rest } = output;
  return Array.isArray(rest.scores) ? { ...rest, scores: rest.scores.map(withoutHallmarks) } : rest;
};

/** Whether a tool's outputs carry signatures of ours. */
export const isSigned = ({ implementation }: Pick<Tool, 'implementation'>): boolean =>
  implementation?.type === 'internal' && implementation.handler === 'iqa';
