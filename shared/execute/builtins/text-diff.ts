import { type Arguments, type Builtin, defineBuiltin, objectSchema, textArgument } from './builtin.ts';
import { diff, type Edit } from './diff.ts';

const UNITS = { line: /(?<=\n)/, word: /(?<=\s)(?=\S)|(?<=\S)(?=\s)/, character: /(?:)/u } as const;
const integer = { type: 'integer' };
const MAX_CONTEXT = 100;

const unitsOf = (args: Arguments, name: string): readonly string[] => {
  const text = textArgument(args, name);
  return text === '' ? [] : text.split(UNITS[textArgument(args, 'unit') as keyof typeof UNITS]);
};

/** Quadratic for texts that have nothing in common. */
const steps = (args: Arguments): number => (unitsOf(args, 'before').length + unitsOf(args, 'after').length) ** 2;

export const textDiff: Builtin = {
  work: steps,
  definition: defineBuiltin({
    name: 'text_diff',
    description:
      'Compares two texts by lines, words or characters: how they differ, what changed between them, a unified diff and how similar they are.',
    category: 'text',
    tags: ['text', 'diff', 'compare', 'patch'],
    scenarios: ['text_and_language', 'development'],
    intents: ['compare', 'analyze'],
    parameters: {
      before: { type: 'string', description: 'The first text.' },
      after: { type: 'string', description: 'The other text.' },
      unit: { type: 'string', enum: Object.keys(UNITS), default: 'line' },
      context: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_CONTEXT,
        default: 3,
        description: 'Lines around a change to show.',
      },
    },
    required: ['before', 'after'],
    output: objectSchema(
      {
        identical: { type: 'boolean' },
        similarity: { type: 'number', minimum: 0, maximum: 1 },
        added: integer,
        removed: integer,
        minimal: {
          type: 'boolean',
          description: 'False when the texts differ too much to look for the shortest diff.',
        },
        changes: {
          type: 'array',
          items: objectSchema({
            kind: { type: 'string', enum: ['same', 'added', 'removed'] },
            text: { type: 'string' },
          }),
        },
        unified: { type: 'string', description: 'For lines: the diff in the usual notation.' },
      },
      ['unified'],
    ),
  }),
  run: (args) => {
    const [before, after] = [unitsOf(args, 'before'), unitsOf(args, 'after')];
    const { edits, isMinimal } = diff(before, after);
    const kept = edits.filter(({ kind }) => kind === 'same').length;
    return {
      identical: kept === before.length && kept === after.length,
      similarity: before.length + after.length === 0 ? 1 : (2 * kept) / (before.length + after.length),
      added: after.length - kept,
      removed: before.length - kept,
      minimal: isMinimal,
      changes: gather(edits),
      unified: args.unit === 'line' ? unified(edits, Math.min(MAX_CONTEXT, Number(args.context ?? 3))) : undefined,
    };
  },
};

/** Merges consecutive edits of the same kind. */
const gather = (edits: readonly Edit[]) => {
  const runs: { kind: Edit['kind']; text: string }[] = [];
  for (const { kind, text } of edits) {
    const last = runs.at(-1);
    if (last?.kind === kind) last.text += text;
    else runs.push({ kind, text });
  }
  return runs;
};

const SIGNS = { same: ' ', added: '+', removed: '-' } as const;

const unified = (edits: readonly Edit[], context: number): string => {
  const shown = new Set<number>();
  for (const [at, { kind }] of edits.entries())
    if (kind !== 'same') for (let near = at - context; near <= at + context; near++) shown.add(near);
  const lines: string[] = [];
  let [before, after] = [1, 1];
  for (let at = 0; at < edits.length; ) {
    let end = at;
    while (end < edits.length && shown.has(end)) end++;
    const hunk = edits.slice(at, end);
    const [inBefore, inAfter] = [countLines(hunk, 'added'), countLines(hunk, 'removed')];
    if (hunk.length > 0) {
      lines.push(`@@ -${before},${inBefore} +${after},${inAfter} @@`);
      for (const { kind, text } of hunk) lines.push(SIGNS[kind] + writeLine(text));
    } else end++;
    for (const { kind } of edits.slice(at, end)) {
      if (kind !== 'added') before++;
      if (kind !== 'removed') after++;
    }
    at = end;
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
};

const countLines = (hunk: readonly Edit[], other: Edit['kind']): number =>
  hunk.filter(({ kind }) => kind !== other).length;

const writeLine = (text: string): string =>
  text.endsWith('\n') ? text.slice(0, -1) : `${text}\n\\ No newline at end of file`;
