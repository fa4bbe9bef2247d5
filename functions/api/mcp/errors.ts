import { isObject } from '../../../shared/kernel/json.ts';

/** A refusal of the whole request as a JSON-RPC error. */
export const rpcError = (status: number, code: number, message: string, body?: unknown): Response => {
  const id = isObject(body) && (typeof body.id === 'string' || typeof body.id === 'number') ? body.id : null;
  const headers = status === 405 ? { allow: 'POST' } : undefined;
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status, headers });
};
