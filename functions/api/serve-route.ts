import type * as z from 'zod';
import { requireScope } from '../../shared/access/authenticate.ts';
import { lazily } from '../../shared/kernel/lazily.ts';
import type { Actor } from '../../shared/model/key.ts';
import type { Admission } from './admission.ts';
import { answerJson } from './answer.ts';
import { auditReply, isForOther } from './audit-route.ts';
import { parseBy } from './body.ts';
import { isLarge, readBytes } from './body-bytes.ts';
import type { Api, ApiContext } from './env.ts';
import type { AnswerError } from './errors.ts';
import { answerOnce, isRepeatable } from './idempotency.ts';
import type { RequestLog } from './identify.ts';
import { actorOf, stateOf } from './request-state.ts';
import { beginTrace } from './request-trace.ts';
import type { AnyReply, AnyRoute, RouteCall } from './route.ts';

/** What every request passes through. */
export interface Front {
  readonly api: Api;
  readonly requests: RequestLog;
  readonly admission: Admission;
  readonly answerError: AnswerError;
}

export type RouteHandler = (c: ApiContext) => Response | Promise<Response>;

/**
 * The pipeline of a request: identify, admit, check the scope, parse, handle, answer. It is one function per route and
 * synchronous where possible: Hono answers a single handler without a promise, which halves the time of a lookup.
 */
export const serveRoute = (front: Front, route: AnyRoute): RouteHandler => {
  const handle = parseAndHandle(front.api, route);
  const { guard, scope } = route;
  const scopes = scope === 'any' || scope === 'public' ? [] : [scope].flat();
  const enter: RouteHandler =
    scope === 'public'
      ? handle
      : (c) => {
          const waiting = front.admission(c);
          return waiting === undefined ? authorised(c) : waiting.then(() => authorised(c));
        };
  const authorised: RouteHandler = (c) => {
    if (scopes.length > 0) requireScope(actorOf(c), ...scopes);
    return isRepeatable(c) ? answerOnce(front.api, c, answered, route.secretAnswer) : handle(c);
  };
  // Refusals are answers too, which a repeat gets again.
  const answered = async (c: ApiContext): Promise<Response> => {
    try {
      return await handle(c);
    } catch (thrown) {
      return front.answerError(thrown as Error, c);
    }
  };
  const entered: RouteHandler = guard === undefined ? enter : async (c) => (await guard(c, front.api)) ?? enter(c);
  return traced(front, entered, route.path);
};

/** Identifies a request, traces it, and answers its errors. */
export const traced =
  ({ requests, answerError, api }: Front, handler: RouteHandler, path = 'unknown'): RouteHandler =>
  (c) => {
    const startedAt = requests.begin(c);
    const trace = beginTrace(api.tracer, c, path);
    const end = (response: Response): Response | Promise<Response> => {
      const answered = requests.end(c, startedAt, response, trace?.loggedId);
      return trace ? trace.end(answered) : answered;
    };
    const failed = (thrown: Error): Response | Promise<Response> => end(answerError(thrown, c));
    try {
      const response = trace ? trace.run(() => handler(c)) : handler(c);
      return response instanceof Promise ? response.then(end, failed) : end(response);
    } catch (thrown) {
      return failed(thrown as Error);
    }
  };

const parseAndHandle = (api: Api, { params, query, body, audit, handle }: AnyRoute): RouteHandler => {
  const readParams = params && paramsReader(params);
  const readQuery = query && queryReader(query);
  const handled = (c: ApiContext, sent: unknown): Response | Promise<Response> => {
    const { actor, requestId } = stateOf(c);
    const call: RouteCall = {
      api,
      actor: actor as Actor,
      requestId,
      params: readParams?.(c),
      query: readQuery?.(c),
      body: sent,
      context: c,
    };
    const made = handle(call as RouteCall<never, never, never>);
    if (audit !== undefined || isForOther(c)) return Promise.resolve(made).then((reply) => audited(c, { reply, sent }));
    return made instanceof Promise ? made.then((reply) => answer(c, reply)) : answer(c, made);
  };
  const audited = async (c: ApiContext, done: { reply: AnyReply; sent: unknown }): Promise<Response> => {
    await auditReply(api, c, audit, done);
    return answer(c, done.reply);
  };
  const inTurn = (c: ApiContext, sent: unknown): Response | Promise<Response> => {
    const turn = api.turns.enter(tenantOf(c));
    return turn === undefined ? handled(c, sent) : turn.then(() => handled(c, sent));
  };
  if (body === undefined) return (c) => inTurn(c, undefined);
  const readLarge = async (c: ApiContext): Promise<Response> => {
    const tenant = tenantOf(c);
    const { add, release } = api.bodies.hold(tenant);
    try {
      await readBytes(c, undefined, add);
      await api.turns.own(tenant);
      return await handled(c, await body.read(c));
    } finally {
      release();
    }
  };
  return (c) => (isLarge(c) ? readLarge(c) : body.read(c).then((sent) => inTurn(c, sent)));
};

/** A public route has no tenant. */
const tenantOf = (c: ApiContext): string => stateOf(c).actor?.tenant ?? '';

const answer = (c: ApiContext, reply: AnyReply): Response =>
  'value' in reply ? answerJson(c, reply.value, reply.status) : reply;

/** Validates the path's parameters. A path that was matched has all of them, so those that may be any text are valid. */
const paramsReader = (schema: z.ZodObject): ((c: ApiContext) => unknown) =>
  Object.values(schema.shape).every(isAnyText)
    ? (c) => c.req.param()
    : (c) => parseBy(schema, c.req.param(), 'the path');

const isAnyText = ({ _zod: { def } }: z.core.$ZodType): boolean =>
  def.type === 'string' && !('format' in def) && (def.checks ?? []).length === 0;

/** Validates the query; most requests have none and share the defaults. */
const queryReader = (schema: z.ZodObject): ((c: ApiContext) => unknown) => {
  const defaults = lazily(() => schema.safeParse({}));
  return (c) => {
    const none = c.req.url.includes('?') ? undefined : defaults();
    return none?.success ? none.data : parseBy(schema, c.req.query(), 'the query');
  };
};
