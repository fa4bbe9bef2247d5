import { type Builtin, defineBuiltin, objectSchema, textArgument } from './builtin.ts';

const WORDS_PER_MINUTE = 238; // silent reading of English: Brysbaert, 2019
const integer = { type: 'integer' };

export const textStats: Builtin = {
  work: 'linear',
  definition: defineBuiltin({
    name: 'text_stats',
    description:
      'Counts characters, words, sentences, lines and paragraphs of a text in any language, with its most frequent words and reading time.',
    category: 'text',
    tags: ['text', 'count', 'words', 'statistics'],
    scenarios: ['text_and_language', 'data_analysis'],
    intents: ['analyze', 'calculate'],
    parameters: {
      text: { type: 'string' },
      top: { type: 'integer', minimum: 0, maximum: 100, default: 10, description: 'How many frequent words to list.' },
    },
    required: ['text'],
    output: objectSchema({
      characters: { ...integer, description: 'As a reader counts them: an emoji is one.' },
      bytes: { ...integer, description: 'In UTF-8.' },
      words: integer,
      unique_words: integer,
      sentences: integer,
      lines: integer,
      paragraphs: integer,
      average_word_length: { type: 'number' },
      reading_seconds: { type: 'number' },
      top_words: { type: 'array', items: objectSchema({ word: { type: 'string' }, count: integer }) },
    }),
  }),
  run: (args) => measure(textArgument(args, 'text'), Number(args.top ?? 10)),
};

const measure = (text: string, top: number) => {
  const counts = new Map<string, number>();
  let words = 0;
  let letters = 0;
  for (const { segment, isWordLike } of new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)) {
    if (!isWordLike) continue;
    const word = segment.toLowerCase();
    counts.set(word, (counts.get(word) ?? 0) + 1);
    words++;
    letters += [...segment].length;
  }
  return {
    characters: count(text, 'grapheme'),
    bytes: Buffer.byteLength(text),
    words,
    unique_words: counts.size,
    sentences: count(text, 'sentence'),
    lines: text === '' ? 0 : text.split(/\r\n|\r|\n/).length,
    paragraphs: text.split(/(?:\r?\n[ \t]*){2,}/).filter((part) => part.trim() !== '').length,
    average_word_length: words === 0 ? 0 : Math.round((letters / words) * 100) / 100,
    reading_seconds: Math.round((words / WORDS_PER_MINUTE) * 600) / 10,
    top_words: mostFrequent(counts, top),
  };
};

const count = (text: string, granularity: 'grapheme' | 'sentence'): number => {
  let found = 0;
  for (const { segment } of new Intl.Segmenter(undefined, { granularity }).segment(text))
    if (granularity === 'grapheme' || segment.trim() !== '') found++;
  return found;
};

const mostFrequent = (counts: ReadonlyMap<string, number>, top: number) =>
  [...counts]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, top)
    .map(([word, count]) => ({ word, count }));
