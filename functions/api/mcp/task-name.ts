import { isObject } from '../../../shared/kernel/json.ts';

const NAME = 'mcp-name';
const METHODS: ReadonlySet<unknown> = new Set(['tasks/get', 'tasks/update', 'tasks/cancel']);

/**
 * Adds the header that names the request's task. fastmcp omits it, so its calls would be refused; the body has the same
 * name, and a contradicting header is still refused.
 */
export const withTaskName = (request: Request, text: string, body: unknown): Request => {
  if (!isObject(body) || !METHODS.has(body.method) || request.headers.has(NAME)) return request;
  const { taskId } = isObject(body.params) ? body.params : {};
  if (typeof taskId !== 'string' || !/^[\w.:-]{1,128}$/.test(taskId)) return request;
  const headers = new Headers(request.headers);
  headers.set(NAME, taskId);
  return new Request(request.url, { method: 'POST', headers, body: text, signal: request.signal });
};
