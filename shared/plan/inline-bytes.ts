import { neededAfter, nodesIn, type Sequence } from './sequence.ts';

/** The share of a state's 256 KiB that results may take, leaving room for the rest. */
const STATE_BYTES = 204_800;
/** The share of an execution's 10 MiB that variables may take; a record is held once for each scope around it. */
const EXECUTION_BYTES = 4_194_304;

/**
 * The largest result that may travel in the execution itself. A state beyond its limit fails and cannot be caught, so
 * the budget is divided among all results that ever meet in one state.
 */
export function inlineBytes(sequence: Sequence): number {
  const all = sequence.parts.flatMap(nodesIn);
  const inputs = all.map(({ takes }) => takes.length);
  const meeting = Math.max(1, neededAfter(sequence).length, ...inputs, ...parallelExports(sequence));
  return Math.floor(Math.min(STATE_BYTES / meeting, EXECUTION_BYTES / all.length));
}

/** For each Parallel, how many whole records its branches return together. */
function parallelExports(sequence: Sequence): readonly number[] {
  return sequence.parts.flatMap((part) => {
    if (part.kind === 'node') return [];
    const together = part.branches.reduce((sum, branch) => sum + neededAfter(branch).length, 0);
    return [together, ...part.branches.flatMap(parallelExports)];
  });
}
