import type { Actor } from '../../model/key.ts';
import type { CallOptions, LayerContext } from '../call.ts';
import { type Operated, type Operation, runOperation, type Worked } from '../operation.ts';

/** As `runOperation`, for callers that tell nothing of the arguments. */
export const operate = <T>(
  context: LayerContext,
  actor: Actor,
  { name, priceMicros, ...options }: Pick<Operation<T>, 'name' | 'priceMicros'> & CallOptions,
  work: () => Promise<Pick<Worked<T>, 'value' | 'cached'>>,
): Promise<Operated<T>> =>
  runOperation(
    context,
    actor,
    { name, priceMicros, arguments: {}, work: async () => ({ ...(await work()), output: null }) },
    undefined,
    options,
  );
