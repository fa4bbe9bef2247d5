import data from '../../metadata/intents.json' with { type: 'json' };
import { lazily } from '../kernel/lazily.ts';
import type { Tool } from '../model/tool.ts';
import { splitIdentifier, wordsOf } from './text.ts';

export interface Intent {
  readonly id: string;
  readonly name: string;
  readonly chinese: string;
  /** Intents that the same tool often serves. */
  readonly near: readonly string[];
}

export interface IntentVote {
  readonly id: string;
  readonly word: string;
  readonly votes: number;
}

export const INTENTS: readonly Intent[] = data.intents.map(({ id, name, chinese, near }) => ({
  id,
  name,
  chinese,
  near: near.split(' ').filter((other) => other !== ''),
}));

/** The intents that the words of a request vote for, the most likely first. */
export const intentsOfRequest = (text: string): readonly IntentVote[] => {
  const votes = new Map<string, IntentVote>();
  const add = (id: string, word: string, count: number): void => {
    const before = votes.get(id);
    votes.set(id, { id, word: before?.word ?? word, votes: (before?.votes ?? 0) + count });
  };
  const chinese = HAN.test(text) ? lexicon().chinese : [];
  for (const [index, sentence] of text.split(SENTENCE_END).slice(0, SENTENCE_LIMIT).entries()) {
    const words = wordsOf(sentence, 2000);
    const early = 1 / (1 + index * 0.15);
    for (const [at, word] of words.entries()) {
      const weight = early * weightAt(words, at);
      for (const id of lexicon().verbs.get(word) ?? []) add(id, word, weight * (1 - Math.min(at, 20) * 0.02));
    }
    const question = words.find((word) => !OPENERS.has(word)) ?? '';
    for (const id of lexicon().questions.get(question) ?? []) add(id, question, early * 0.5);
    for (const [word, id] of chinese) if (sentence.includes(word)) add(id, word, early);
  }
  return [...votes.values()].sort((one, other) => other.votes - one.votes || (one.id < other.id ? -1 : 1));
};

/** A tool's intent: the declared one, else that of the first known verb in its name, else in its description. */
export const intentOfTool = (tool: Tool): string | undefined => {
  const declared = tool.intents?.map((label) => label.toLowerCase()).find((label) => byId.has(label));
  if (declared !== undefined) return declared;
  return firstIntent(splitIdentifier(tool.name)) ?? firstIntent(wordsOf(tool.description ?? '', 120).slice(0, 4));
};

/** 1 for the same intent, 0.5 for a near one, 0 when either is unknown, -1 otherwise. */
export const agreement = (one: string | undefined, other: string | undefined): number => {
  if (one === undefined || other === undefined) return 0;
  if (one === other) return 1;
  return byId.get(one)?.near.includes(other) || byId.get(other)?.near.includes(one) ? 0.5 : -1;
};

export const intentNamed = (id: string): Intent | undefined => byId.get(id);

const byId = new Map(INTENTS.map((intent) => [intent.id, intent]));

const firstIntent = (words: readonly string[]): string | undefined => {
  for (const word of words) {
    const [id] = lexicon().verbs.get(word) ?? [];
    if (id !== undefined) return id;
    if (word.length < 2 || !HAN.test(word)) continue;
    const chinese = lexicon().chinese.find(([known]) => word.includes(known) || known.startsWith(word));
    if (chinese !== undefined) return chinese[1];
  }
  return undefined;
};

/** A verb counts in full at the start of a sentence or after a phrase such as `could you please`, otherwise less. */
const weightAt = (words: readonly string[], at: number): number => {
  for (let before = at - 1; before >= 0; before--) {
    const word = words[before] ?? '';
    if (ASKING.has(word)) return 1;
    if (!OPENERS.has(word)) return 0.3;
  }
  return 1;
};

const lexicon = lazily(() => readLexicon());

const readLexicon = () => {
  const verbs = new Map<string, string[]>();
  const questions = new Map<string, string[]>();
  for (const { id, words, questions: asked } of data.intents) {
    for (const form of new Set(words.split(' ').flatMap(formsOf))) verbs.set(form, [...(verbs.get(form) ?? []), id]);
    for (const word of asked.split(' ')) if (word !== '') questions.set(word, [...(questions.get(word) ?? []), id]);
  }
  const chinese = data.intents.flatMap(({ id, chinese_words }) =>
    chinese_words.split(' ').map((word) => [word, id] as const),
  );
  return { verbs, questions, chinese };
};

/** The inflected forms of a verb. Comparing stems instead would read the noun `settings` as the verb `set`. */
const formsOf = (verb: string): readonly string[] => {
  const stem = verb.replace(/e$/u, '');
  const doubled = /[^aeiou][aeiou][bdgmnpt]$/u.test(verb) ? `${verb}${verb.at(-1)}` : stem;
  return [
    verb,
    `${verb}s`,
    `${verb}es`,
    `${stem}ed`,
    `${stem}ing`,
    `${doubled}ed`,
    `${doubled}ing`,
    verb.replace(/y$/u, 'ies'),
  ];
};

const SENTENCE_END = /[.!?。！？;；\n]+/u;
const SENTENCE_LIMIT = 24;
const HAN = /\p{Script=Han}/u;
const ASKING: ReadonlySet<string> = new Set('to please you me and then us could can would should will'.split(' '));
const OPENERS: ReadonlySet<string> = new Set(
  `i a an the hi hello hey so ok okay first second next now also want need like love help just quickly kindly let
  d m re ve s there is able finally lastly additionally would could can you`.split(/\s+/u),
);
