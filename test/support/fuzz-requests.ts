import * as z from 'zod';
import { routes } from '../../functions/api/routes/table.ts';
import { randomOf, sample } from '../providers/support/sample.ts';

export interface FuzzedRequest {
  readonly name: string;
  readonly path: string;
  readonly init: RequestInit;
}

type Random = () => number;
type Pick = <T>(values: readonly T[]) => T;

const pickBy =
  (random: Random): Pick =>
  <T>(values: readonly T[]) =>
    values[Math.floor(random() * values.length)] as T;

/** The routes with the JSON Schemas of their inputs. */
const targets = routes.map(({ method, path, query, body }) => ({
  method: method === 'all' ? 'POST' : method.toUpperCase(),
  path,
  query: schemaOf(query),
  body: schemaOf(body?.schema),
  type: body?.type,
}));

function schemaOf(schema: z.ZodType | undefined): Readonly<Record<string, unknown>> | undefined {
  return schema && (z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as Record<string, unknown>);
}

/** A seeded request to a random route, mostly well-formed, with an error in a place or two. */
export const fuzzRequest = (seed: number, names: readonly string[], key: string): FuzzedRequest => {
  const random = randomOf(seed * 2654435761);
  const pick = pickBy(random);
  const target = pick(targets);
  const path = target.path.replaceAll(/:(\w+)|\*/g, () => encodeSegment(random, names));
  const search = target.query && random() < 0.6 ? `?${queryText(sample(target.query, random), random)}` : '';
  const isRead = target.method === 'GET' || target.method === 'HEAD';
  const [body, type] = isRead ? [] : bodyOf(target, random);
  return {
    name: `${target.method} ${target.path} (seed ${seed})`,
    path: `${path}${search}`,
    init: {
      method: target.method,
      headers: headersOf(random, key, type),
      ...(body === undefined ? {} : { body: body as BodyInit }),
    },
  };
};

const ODD_SEGMENTS = ['%zz', '%00', '..', '.', '%2e%2e%2f', 'a%2Fb', '__proto__', 'constructor', '%F0%9F%92%A9', '-1'];
const ODD_TEXTS = [
  '',
  ' ',
  '\u0000',
  '\u202e',
  '\ud800',
  '💩'.repeat(300),
  'x'.repeat(5000),
  '1e999',
  '__proto__',
].concat(['5 ', '九', 'hundred ', '(1+', 'a@'].map((text) => text.repeat(2000)));
const ODD_VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 1e308, 2 ** 53, 0.1, [], {}, [[]], [null], { a: null }],
  ...ODD_TEXTS,
  Array.from({ length: 2000 }, (_, index) => index),
  Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, index])),
  nest(40),
  nest(300),
];

function nest(levels: number): unknown {
  return levels === 0 ? 1 : { a: [nest(levels - 1)] };
}

const encodeSegment = (random: Random, names: readonly string[]): string => {
  const pick = pickBy(random);
  const kind = random();
  if (kind < 0.6) return encodeURIComponent(pick(names));
  if (kind < 0.8) return pick(ODD_SEGMENTS);
  return encodeURIComponent(pick(ODD_TEXTS).replaceAll('\ud800', '')) || 'x';
};

const queryText = (given: unknown, random: Random): string => {
  const entries = Object.entries(given as object).map(([name, value]) => [name, String(spoil(value, random))] as const);
  return new URLSearchParams(entries.map(([name, value]) => [name, value.replaceAll('\ud800', '')])).toString();
};

const bodyOf = (target: (typeof targets)[number], random: Random): readonly [unknown, string | undefined] => {
  const kind = random();
  if (kind < 0.05) return [undefined, undefined];
  if (kind < 0.12) return [pickBy(random)(['{', '[]', 'null', '"x"', '{"a":', '\u0000', '{}{}', '﻿{}']), target.type];
  if (kind < 0.18) return [Buffer.from(Array.from({ length: 200 }, () => Math.floor(random() * 256))), target.type];
  const value = spoil(sample(target.body ?? {}, random), random);
  if (target.type?.startsWith('multipart/') && random() < 0.8) return [formOf(value, random), undefined];
  const json = JSON.stringify(value) ?? '';
  // JSON.stringify cannot write an out-of-range number.
  const text = random() < 0.05 ? json.replace(/(?<=[:[,])-?\d+(?:\.\d+)?(?=[,}\]])/, '-1e999') : json;
  return [random() < 0.1 ? text.slice(0, Math.floor(random() * text.length)) : text, typeOf(random)];
};

const typeOf = (random: Random): string =>
  random() < 0.9
    ? 'application/json'
    : pickBy(random)(['text/plain', 'application/JSON; charset=x', 'multipart/form-data', 'x']);

const formOf = (value: unknown, random: Random): FormData => {
  const form = new FormData();
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [['x', value] as const];
  for (const [name, each] of fields.slice(0, 20)) {
    if (random() < 0.5) form.append(name, typeof each === 'string' ? each : (JSON.stringify(each) ?? ''));
    else form.append(name, new Blob([Buffer.from(String(each))], { type: 'image/png' }), 'a.png');
  }
  return form;
};

/** Replaces, removes, adds or keeps a value, here or deeper. */
const spoil = (value: unknown, random: Random): unknown => {
  const pick = pickBy(random);
  const kind = random();
  if (kind < 0.35) return value;
  if (kind < 0.5 || typeof value !== 'object' || value === null) return pick(ODD_VALUES);
  const entries = Object.entries(value);
  const [name] = entries.length === 0 ? ['x'] : pick(entries);
  if (Array.isArray(value)) return value.map((each, at) => (String(at) === name ? spoil(each, random) : each));
  if (kind < 0.6) return Object.fromEntries(entries.filter(([own]) => own !== name));
  if (kind < 0.7) return { ...value, [pick(['x', 'constructor', 'toString', 'v'])]: pick(ODD_VALUES) };
  return Object.fromEntries(entries.map(([own, each]) => [own, own === name ? spoil(each, random) : each]));
};

const headersOf = (random: Random, key: string, type: string | undefined): Record<string, string> => {
  const pick = pickBy(random);
  const odd: readonly (readonly [string, string])[] = [
    ['idempotency-key', pick(['', 'a', 'x'.repeat(300), 'ключ'.length.toString()])],
    ['accept', pick(['*/*', 'application/x-ndjson', 'text/event-stream;q=0', 'text/html', ',,,'])],
    ['if-none-match', pick(['*', '"x"', ',,'])],
    ['accept-encoding', pick(['gzip', 'br;q=2', 'identity;q=0'])],
    ['content-length', pick(['0', '-1', 'x', '99999999999'])],
    ['traceparent', pick(['', '00-0-0-00', `00-${'f'.repeat(32)}-${'f'.repeat(16)}-01`])],
    ['x-assay-tenant', pick(['default', '../x', '', 'x'.repeat(200)])],
    ['mcp-protocol-version', pick(['', '2025-06-18', '1'])],
    ['range', pick(['bytes=0-', 'bytes=9-1', 'x'])],
  ];
  const chosen = odd.filter(() => random() < 0.08);
  return {
    accept: 'application/json',
    ...(random() < 0.95 ? { authorization: `Bearer ${key}` } : {}),
    ...(type === undefined ? {} : { 'content-type': type }),
    ...Object.fromEntries(chosen),
  };
};
