import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Assay } from '../../../shared/assay.ts';
import { Fault } from '../../../shared/kernel/errors.ts';

/** Turns refusals into protocol errors; unexpected errors reveal nothing internal. */
export const guarded = async <T>(assay: Assay, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    if (thrown instanceof Fault)
      throw new ProtocolError(errorCodeOf(thrown), thrown.message, { code: thrown.code, ...thrown.details });
    const { message, stack } = thrown as Error;
    assay.log.error('unexpected error', { error: message, stack });
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'something went wrong on our side; try again');
  }
};

const errorCodeOf = ({ code }: Fault): number => {
  if (code === 'InvalidInput' || code === 'NotFound') return ProtocolErrorCode.InvalidParams;
  return code === 'Internal' || code === 'Unavailable'
    ? ProtocolErrorCode.InternalError
    : ProtocolErrorCode.InvalidRequest;
};
