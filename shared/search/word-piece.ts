/** Tokenizes a text into the WordPiece ids that a BERT model reads, at most `most` of them. */
export type WordPiece = (text: string, most: number) => readonly number[];

/** The part of a Hugging Face tokenizer file that is read; all other settings are fixed below. */
interface TokenizerFile {
  readonly model: { readonly vocab: Readonly<Record<string, number>> };
}

/** Uncased BERT: lower case without accents, split at whitespace and punctuation, then greedy longest-match pieces. */
export const createWordPiece = (file: TokenizerFile): WordPiece => {
  const vocabulary = new Map(Object.entries(file.model.vocab));
  const numberOf = (token: string): number => {
    const number = vocabulary.get(token);
    if (number === undefined) throw new TypeError(`the tokenizer has no ${token}`);
    return number;
  };
  const [unknown, start, end] = [numberOf('[UNK]'), numberOf('[CLS]'), numberOf('[SEP]')];
  return (text, most) => {
    const numbers = [start];
    for (const word of words(text.slice(0, most * CHARACTERS_A_PIECE))) {
      if (numbers.length >= most - 1) break;
      numbers.push(...(pieces(word, vocabulary) ?? [unknown]));
    }
    return [...numbers.slice(0, most - 1), end];
  };
};

/** How many characters of the text are read for each token that may be kept. */
const CHARACTERS_A_PIECE = 32;
const LONGEST_WORD = 100;

function* words(text: string): Generator<string> {
  for (const [match] of normalized(text).matchAll(WORDS)) yield match;
}

const normalized = (text: string): string =>
  text.replace(CONTROL, '').replace(BLANK, ' ').normalize('NFD').replace(ACCENTS, '').toLowerCase();

/** The longest known pieces from left to right; undefined if a part is unknown. */
const pieces = (word: string, vocabulary: ReadonlyMap<string, number>): readonly number[] | undefined => {
  const characters = [...word];
  if (characters.length > LONGEST_WORD) return undefined;
  const found: number[] = [];
  for (let at = 0; at < characters.length; ) {
    let to = characters.length;
    let number: number | undefined;
    for (; to > at && number === undefined; to--)
      number = vocabulary.get(`${at === 0 ? '' : '##'}${characters.slice(at, to).join('')}`);
    if (number === undefined) return undefined;
    found.push(number);
    at = to + 1;
  }
  return found;
};

const CONTROL = /[\0\uFFFD]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}]/gu;
const BLANK = /[\t\n\r]|\p{Z}/gu;
const ACCENTS = /\p{Mn}/gu;
/** Chinese characters and punctuation are tokens of their own; ASCII symbols count as punctuation. */
const ALONE = String.raw`[\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}\p{P}$+<=>^\x60|~]`;
const WORDS = new RegExp(`${ALONE}|(?:(?!${ALONE})\\S)+`, 'gu');
