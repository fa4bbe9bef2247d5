import { neededAfter, nodesIn, type Sequence } from './sequence.ts';

/** What the results in one state may take of its 256 KiB, leaving room for the rest. */
const STATE_BYTES = 204_800;
/** What all variables together may take of an execution's 10 MiB; a record is held once for each scope around it. */
const EXECUTION_BYTES = 4_194_304;

/**
 * How large a result may be to travel in the execution itself.
 * A state that passes its limit fails beyond rescue, so the budget is shared by all results that ever meet.
 */
export function inlineBytes(sequence: Sequence): number {
  const all = sequence.parts.flatMap(nodesIn);
  const inputs = all.map(({ takes }) => takes.length);
  const meeting = Math.max(1, neededAfter(sequence).length, ...inputs, ...parallelExports(sequence));
  return Math.floor(Math.min(STATE_BYTES / meeting, EXECUTION_BYTES / all.length));
}

/** For each Parallel, how many whole records its branches hand out together. */
function parallelExports(sequence: Sequence): readonly number[] {
  return sequence.parts.flatMap((part) => {
    if (part.kind === 'node') return [];
    const together = part.branches.reduce((sum, branch) => sum + neededAfter(branch).length, 0);
    return [together, ...part.branches.flatMap(parallelExports)];
  });
}
