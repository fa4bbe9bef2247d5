import { isRecord, type MutableSchema } from '../json.ts';
import type { Dialect } from './dialect.ts';

/** Returns a schema unchanged if it has one plain type and only keywords of the dialect, as most parameters do. */
export function keepPlainType(input: unknown, dialect: Dialect): MutableSchema | undefined {
  if (!isRecord(input)) return undefined;
  const { type } = input;
  const isNumber = type === 'integer' || type === 'number';
  if (!isNumber && type !== 'string' && type !== 'boolean') return undefined;
  for (const key in input) {
    if (key === 'type') continue;
    const value = input[key];
    if (key === 'description' ? typeof value === 'string' && value !== '' : isSaid(key, value, type, isNumber, dialect))
      continue;
    return undefined;
  }
  return { ...input };
}

function isSaid(key: string, value: unknown, type: unknown, isNumber: boolean, dialect: Dialect): boolean {
  if (!dialect.keywords.has(key)) return false;
  if (key === 'minimum' || key === 'maximum') return isNumber && Number.isFinite(value);
  if (key === 'enum') return type === 'string' && isTexts(value);
  return key === 'default' || (key === 'title' && typeof value === 'string');
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((member) => typeof member === 'string' && member !== '') &&
  new Set(value).size === value.length;
