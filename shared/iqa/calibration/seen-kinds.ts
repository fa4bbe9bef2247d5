import type { Tool } from './observe.ts';
import { type Opinion, TID2013_KINDS } from './opinions.ts';
import { rankCorrelation } from './statistics.ts';

/** A tool sees a kind of distortion when it ranks its pictures as people do: rank correlation of at least this. */
const SEES = 0.5;

/** The rank correlation of a tool's quality with opinion over the pictures of one kind. */
export const agreement = (rows: readonly Opinion[], tool: Tool, distortion: number): number => {
  const own = rows.filter((row) => row.distortion === distortion);
  return rankCorrelation(
    own.map(({ raw }) => (tool.lower_better ? -1 : 1) * (raw[tool.name] as number)),
    own.map(({ opinion }) => opinion),
  );
};

/** The numbers of the kinds that a tool sees, and the names of the others. */
export const seenKinds = (rows: readonly Opinion[], tool: Tool) => {
  const kinds = TID2013_KINDS.map((name, at) => ({
    name,
    number: at + 1,
    isSeen: agreement(rows, tool, at + 1) >= SEES,
  }));
  return {
    seen: kinds.filter(({ isSeen }) => isSeen).map(({ number }) => number),
    unseen: kinds.filter(({ isSeen }) => !isSeen).map(({ name }) => name),
  };
};
