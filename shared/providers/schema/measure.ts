import { asArray, asRecord, asStrings, isRecord, type Schema } from '../json.ts';

export interface SchemaSize {
  /** Properties at all levels. */
  readonly fields: number;
  readonly optional: number;
  /** Properties with several alternatives. */
  readonly unions: number;
  readonly depth: number;
  readonly enumValues: number;
  /** The total length of the values of the longest enum with more than 250 values. */
  readonly longestEnum: number;
  /** The total length of names, enum values and constants. */
  readonly characters: number;
}

/** Measures a converted schema against the limits of a strict form. */
export function measure(schema: Schema): SchemaSize {
  const total = { fields: 0, optional: 0, unions: 0, depth: 0, enumValues: 0, longestEnum: 0, characters: 0 };
  const visit = (node: unknown, depth: number): void => {
    if (!isRecord(node)) return;
    total.depth = Math.max(total.depth, depth);
    countEnum(node, total);
    const required = new Set(asStrings(node.required));
    for (const [key, child] of Object.entries(asRecord(node.properties))) {
      total.fields += 1;
      total.characters += key.length;
      if (!required.has(key)) total.optional += 1;
      if (isRecord(child) && (Array.isArray(child.anyOf) || Array.isArray(child.type))) total.unions += 1;
      visit(child, depth + 1);
    }
    visit(node.items, depth + 1);
    for (const branch of asArray(node.anyOf)) visit(branch, depth);
    for (const [name, child] of Object.entries(asRecord(node.$defs))) {
      total.characters += name.length;
      visit(child, depth);
    }
  };
  visit(schema, 0);
  return total;
}

function countEnum(node: Schema, total: { enumValues: number; longestEnum: number; characters: number }): void {
  const values = asArray(node.enum);
  const characters = values.reduce<number>((sum, value) => sum + String(value).length, 0);
  total.enumValues += values.length;
  total.characters += characters;
  if (values.length > 250) total.longestEnum = Math.max(total.longestEnum, characters);
}
