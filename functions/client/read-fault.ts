import { Fault, type FaultCode, statusOf } from '../../shared/kernel/errors.ts';
import { isObject } from '../../shared/kernel/json.ts';

/** Restores the Fault of the server from an error answer. */
export const readFault = async (response: Response): Promise<Fault> => {
  const body: unknown = await response.json().catch(() => undefined);
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const code = typeof error.code === 'string' && error.code in statusOf ? (error.code as FaultCode) : 'Internal';
  const details = isObject(error.details) ? error.details : {};
  return new Fault(
    code,
    typeof error.message === 'string' ? error.message : `the server answered ${response.status}`,
    details,
  );
};
