import type { Hono } from 'hono';
import type { BlankEnv } from 'hono/types';
import type * as z from 'zod';
import type { Answers, AnswerValue, Body, Route, RouteAnswer } from './route.ts';
import type { routes } from './routes/table.ts';

/** The API as Hono's client sees it: the inputs and answers of each call, from the table of routes. */
export type AppType = Hono<BlankEnv, Calls, '/'>;

/** The value of a call's successful answer, such as `Answered<typeof getTool>`. */
export type Answered<One> =
  One extends Route<string, string, infer _P, infer _Q, infer _B, infer Given extends Answers>
    ? GoodValue<Given>
    : never;

type Table = (typeof routes)[number];

type Calls = {
  [Path in Table['path']]: {
    [One in Extract<Table, { readonly path: Path }> as `$${One['method']}`]: Endpoint<One>;
  };
};

type Endpoint<One> =
  One extends Route<string, string, infer Params, infer Query, infer Sent, infer Given extends Answers>
    ? {
        input: ParamInput<Params> & QueryInput<Query> & BodyInput<Sent>;
        output: GoodValue<Given>;
        outputFormat: GoodFormat<Given>;
        status: 200;
      }
    : never;

type ParamInput<Params> = Params extends z.ZodObject ? { param: { [Name in keyof z.input<Params>]: string } } : object;
type QueryInput<Query> = Query extends z.ZodObject
  ? { query?: { [Name in keyof z.input<Query>]?: string | undefined } }
  : object;
type BodyInput<Sent> = Sent extends Body<infer Input, infer _Value> ? Frozen<Input> : object;

type Good = 200 | 201 | 202 | 204;
type GoodAnswer<Given extends Answers> = Given[keyof Given & Good];
type GoodValue<Given extends Answers> =
  GoodAnswer<Given> extends infer One extends RouteAnswer ? AnswerValue<One> : never;

/** Clients may send frozen values. */
type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends Blob
    ? T
    : T extends object
      ? { readonly [Key in keyof T]: Frozen<T[Key]> }
      : T;
type GoodFormat<Given extends Answers> =
  GoodAnswer<Given> extends { readonly type: string }
    ? 'body'
    : GoodAnswer<Given> extends { readonly schema: z.ZodType }
      ? 'json'
      : 'body';
