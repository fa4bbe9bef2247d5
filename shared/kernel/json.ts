import * as z from 'zod';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export const JsonObject = z.record(z.string(), z.unknown());
export type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON Schema as data; its validity is checked when a tool is registered. */
export const JsonSchema = z.record(z.string(), z.unknown());
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The JSON text of something for a log, which must not fail: what JSON cannot hold is named instead. */
export const textForLog = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (thrown) {
    return JSON.stringify({ unwritable: String(thrown) });
  }
};

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
