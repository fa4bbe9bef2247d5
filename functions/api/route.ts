import type * as z from 'zod';
import type { RouteAction } from '../../shared/execute/audit.ts';
import type { FaultCode } from '../../shared/kernel/errors.ts';
import type { Actor, Scope } from '../../shared/model/key.ts';
import type { Api, ApiContext } from './env.ts';

/**
 * One call of the API as data. The registered handlers, the OpenAPI document, the client's types and the authorisation
 * test all come from the table of routes (`routes/table.ts`), so no call can skip one of them.
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
  /** What a key needs; `any` accepts every valid key, `public` needs none. */
  readonly scope: Scope | 'any' | 'public' | readonly Scope[];
  readonly summary: string;
  readonly tag: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Sent;
  readonly answers: Answered;
  readonly faults?: readonly FaultCode[];
  /** Its answer contains a secret with an `id`: shown once, and never stored for an Idempotency-Key. */
  readonly secretAnswer?: true;
  /** The action that a success adds to the audit log. */
  readonly audit?: RouteAction;
  /** Served, but not in the OpenAPI document: the console's files. */
  readonly undocumented?: true;
  /** May refuse a request before its key is checked. */
  readonly guard?: (c: ApiContext, api: Api) => Response | undefined | Promise<Response | undefined>;
  readonly handle: (
    call: RouteCall<ValueOf<Params>, ValueOf<Query>, BodyValue<Sent>>,
  ) => RouteReply<Answered> | Promise<RouteReply<Answered>>;
}

/** Any route of the table; only the route itself knows the types of its handler. */
export type AnyRoute = Omit<Route, 'handle'> & {
  readonly handle: (call: RouteCall<never, never, never>) => AnyReply | Promise<AnyReply>;
};

export type AnyReply = Response | { readonly status: number; readonly value: unknown };

/** A request that was identified, admitted and parsed. */
export interface RouteCall<Params = unknown, Query = unknown, Sent = unknown> {
  readonly api: Api;
  /** The caller, with the tenant it acts for; absent on public routes. */
  readonly actor: Actor;
  readonly requestId: string;
  readonly params: Params;
  readonly query: Query;
  readonly body: Sent;
  readonly context: ApiContext;
}

/** How a body is read and documented; `Input` is what the typed client sends. */
export interface Body<Input = unknown, Value = unknown> {
  readonly schema: z.ZodType;
  readonly type: string;
  /** Whether it may be left out. */
  readonly isOptional?: true;
  readonly read: (c: ApiContext) => Promise<Value>;
  /** Type only: what a client sends. */
  readonly input?: Input;
}

export type Answers = Readonly<Record<number, RouteAnswer>>;

export interface RouteAnswer {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** The content type, or its alternatives; JSON by default. */
  readonly type?: string | readonly string[];
}

/** A status with a value of its schema, or a finished response: stored bytes, a picture, a stream. */
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

/** The type that a handler may answer: also frozen values, and interfaces where the schema allows any field. */
type Accepted<T> = T extends readonly (infer Item)[]
  ? readonly Accepted<Item>[]
  : T extends object
    ? { readonly [Key in keyof T as string extends Key ? never : Key]: Accepted<T[Key]> }
    : T;

type ValueOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type BodyValue<Sent> = Sent extends Body<unknown, infer Value> ? Value : undefined;

/** Types a route by its parts. */
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
