import type * as z from 'zod';
import type { RouteAction } from '../../shared/execute/audit.ts';
import type { FaultCode } from '../../shared/kernel/errors.ts';
import type { Actor, Scope } from '../../shared/model/key.ts';
import type { Api, ApiContext } from './env.ts';

/**
 * One call of the API as data. The table of routes (`routes/table.ts`) gives the registered handlers, the OpenAPI
 * document, the types of the client and the authorisation test, so nothing can be served that skips one of them.
 */
export interface Route<
  Method extends string = string,
  Path extends string = string,
  Params extends z.ZodObject | undefined = z.ZodObject | undefined,
  Query extends z.ZodObject | undefined = z.ZodObject | undefined,
  Sent extends Body | undefined = Body | undefined,
  Answered extends Answers = Answers,
> {
  readonly method: Method;
  readonly path: Path;
  /** What a key needs; `any` takes every good key, `public` asks for none. */
  readonly scope: Scope | 'any' | 'public' | readonly Scope[];
  readonly summary: string;
  readonly tag: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Sent;
  readonly answers: Answered;
  readonly faults?: readonly FaultCode[];
  /** Its answer holds a secret with an `id`: shown once, and never kept for an Idempotency-Key. */
  readonly secretAnswer?: true;
  /** The entry of the audit log that a success leaves. */
  readonly audit?: RouteAction;
  /** Served, but not in the OpenAPI document: the console's files. */
  readonly undocumented?: true;
  /** Refuses a request before its key is looked at. */
  readonly guard?: (c: ApiContext, api: Api) => Response | undefined | Promise<Response | undefined>;
  readonly handle: (
    call: RouteCall<ValueOf<Params>, ValueOf<Query>, BodyValue<Sent>>,
  ) => RouteReply<Answered> | Promise<RouteReply<Answered>>;
}

/** Any route of the table; what its handler takes is known only to itself. */
export type AnyRoute = Omit<Route, 'handle'> & {
  readonly handle: (call: RouteCall<never, never, never>) => AnyReply | Promise<AnyReply>;
};

export type AnyReply = Response | { readonly status: number; readonly value: unknown };

/** A request that was identified, admitted and parsed. */
export interface RouteCall<Params = unknown, Query = unknown, Sent = unknown> {
  readonly api: Api;
  /** Who calls, for the tenant acted for. A public route has nobody. */
  readonly actor: Actor;
  readonly requestId: string;
  readonly params: Params;
  readonly query: Query;
  readonly body: Sent;
  readonly context: ApiContext;
}

/** How a body is read and what it is in the document; `Input` is what the typed client sends. */
export interface Body<Input = unknown, Value = unknown> {
  readonly schema: z.ZodType;
  readonly type: string;
  /** It may be left out. */
  readonly isOptional?: true;
  readonly read: (c: ApiContext) => Promise<Value>;
  /** Only a type: what a client sends. */
  readonly input?: Input;
}

export type Answers = Readonly<Record<number, RouteAnswer>>;

export interface RouteAnswer {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** The content type, or those it may have; JSON unless said. */
  readonly type?: string | readonly string[];
}

/** A status with the value of its schema, or a response that was made before: kept bytes, a picture, a stream. */
export type RouteReply<Answered extends Answers = Answers> =
  | Response
  | {
      [Status in keyof Answered & number]: {
        readonly status: Status;
        readonly value: Accepted<AnswerValue<Answered[Status]>>;
      };
    }[keyof Answered & number];

export type AnswerValue<One extends RouteAnswer> = One extends { readonly schema: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : null;

/** What a handler may answer: frozen values too, and interfaces where the schema takes any field. */
type Accepted<T> = T extends readonly (infer Item)[]
  ? readonly Accepted<Item>[]
  : T extends object
    ? { readonly [Key in keyof T as string extends Key ? never : Key]: Accepted<T[Key]> }
    : T;

type ValueOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type BodyValue<Sent> = Sent extends Body<unknown, infer Value> ? Value : undefined;

/** Types a route by its own parts. */
export const route = <
  const Method extends 'get' | 'post' | 'put' | 'patch' | 'delete' | 'all',
  const Path extends string,
  const Answered extends Answers,
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Sent extends Body | undefined = undefined,
>(
  given: Route<Method, Path, Params, Query, Sent, Answered>,
): Route<Method, Path, Params, Query, Sent, Answered> => given;

/** An answer with a value. */
export const reply = <const Status extends number, const Value>(
  status: Status,
  value: Value,
): { readonly status: Status; readonly value: Value } => ({ status, value });

/** An answer without a body. */
export const done = { status: 204, value: null } as const;
