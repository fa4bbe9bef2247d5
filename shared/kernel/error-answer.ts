import { type Fault, statusOf } from './errors.ts';

export interface ErrorAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An error as every transport of the API answers it. */
export const errorAnswer = ({ code, message, details }: Fault, requestId: string): ErrorAnswer => ({
  status: statusOf[code],
  body: JSON.stringify({ error: { code, message, details, request_id: requestId } }),
  headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff', ...waysOut({ code, details }) },
});

const waysOut = ({ code, details }: Pick<Fault, 'code' | 'details'>): Readonly<Record<string, string>> => {
  if (code === 'Unauthenticated') return { 'www-authenticate': 'Bearer realm="assay"' };
  const wait = details.retry_after_seconds;
  return typeof wait === 'number' ? { 'retry-after': String(Math.ceil(wait)) } : {};
};
