/** One action of a request, and how it relates to the clauses before it. */
export interface Clause {
  readonly text: string;
  /** `then` runs after what came before; `and` runs beside it. */
  readonly joined: 'then' | 'and';
}

/** Whether a word names an action, such as a verb or the name of a tool. */
export type IsAction = (word: string) => boolean;

const MAX_CLAUSES = 40;
const THEN =
  /^(?:and then|then|after that|afterwards|next|finally|lastly|and finally|subsequently|然后|接着|随后|最后|之后|再)[,，:：]?\s*/iu;
const AND =
  /^(?:and also|and|also|as well as|plus|meanwhile|at the same time|同时|并且|并|以及|另外|还要)[,，:：]?\s*/iu;
const BREAK =
  /(\s*[;；\n]+\s*|(?<!(?:^|\s)\d{1,2})[.。!！](?:\s+|(?=\p{Script=Han})|$)|\s*[,，]\s*(?=(?:and then|then|after that|finally|and|also)\b)|\s*[,，]\s*|\s+(?=(?:and then|then|after that|and)\s)|(?=然后|接着|随后|最后|同时|并且)|(?<=\p{Script=Han})(?=再\p{Script=Han})|(?<=\p{Script=Han})(?=并\p{Script=Han})|\s+(?=[并再]\p{Script=Han}))/giu;
const NUMBER = /^(?:step\s*)?\(?\d{1,2}[.):、]\s*/iu;

/** Splits a request into its actions, in order. Text in quotes or brackets is never split. */
export const splitTask = (task: string, isAction: IsAction): readonly Clause[] => {
  const { text, restore } = hideQuoted(task.trim());
  const clauses: { text: string; joined: Clause['joined'] }[] = [];
  for (const piece of splitPieces(text)) {
    const { rest, joined, isMarked } = readJoint(piece.text, piece.isSentence);
    const last = clauses.at(-1);
    // Without an action word it continues the clause before: a list, or a further detail.
    if (last && !begins(rest, isAction, isMarked)) last.text += piece.glue + piece.text;
    else if (rest !== '') clauses.push({ text: rest, joined: last ? joined : 'then' });
  }
  return clauses.slice(0, MAX_CLAUSES).map((clause) => ({ ...clause, text: restore(clause.text) }));
};

interface Piece {
  readonly text: string;
  /** The text between this piece and the one before. */
  readonly glue: string;
  readonly isSentence: boolean;
}

const splitPieces = (text: string): readonly Piece[] => {
  const parts = text.split(BREAK);
  const pieces: Piece[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const glue = parts[at - 1] ?? '';
    const piece = (parts[at] ?? '').trim();
    if (piece !== '')
      pieces.push({ text: piece, glue: /[,，]/.test(glue) ? ', ' : ' ', isSentence: /[.。;；\n!！]/.test(glue) });
  }
  return pieces;
};

const readJoint = (
  piece: string,
  isSentence: boolean,
): { rest: string; joined: Clause['joined']; isMarked: boolean } => {
  const plain = piece.replace(NUMBER, '');
  const isNumbered = plain !== piece;
  const then = THEN.exec(plain);
  if (then) return { rest: plain.slice(then[0].length), joined: 'then', isMarked: true };
  const and = AND.exec(plain);
  if (and) return { rest: plain.slice(and[0].length), joined: 'and', isMarked: false };
  return { rest: plain, joined: isNumbered || isSentence ? 'then' : 'and', isMarked: isNumbered };
};

const POLITE =
  /^(?:please|kindly|could you|can you|i want (?:you )?to|i need to|i'd like to|请|帮我|麻烦|把|将|对|用)\s*/iu;

const begins = (text: string, isAction: IsAction, isMarked: boolean): boolean => {
  const plain = text.replace(POLITE, '').replace(POLITE, '');
  if (/^\p{Script=Han}/u.test(plain)) return isMarked || POLITE.test(text) || isAction(plain.slice(0, 6));
  const [word = ''] = plain.split(/[\s,.:]+/u);
  return isAction(word.toLowerCase()) || (isMarked && plain.split(/\s+/u).length > 2);
};

/** Replaces quoted and bracketed parts by placeholders while the text is split. */
const hideQuoted = (task: string) => {
  const hidden: string[] = [];
  const text = task.replace(
    /"[^"]*"|“[^”]*”|「[^」]*」|《[^》]*》|`[^`]*`|(?<![\p{L}\d])'[^']*'(?![\p{L}\d])|\{[^{}]*\}|\[[^\]]*\]/gu,
    (found) => {
      hidden.push(found);
      return `\uE000${hidden.length - 1}\uE001`;
    },
  );
  const restore = (part: string): string =>
    part.replace(/\uE000(\d+)\uE001/g, (_, at: string) => hidden[Number(at)] ?? '');
  return { text, restore };
};
