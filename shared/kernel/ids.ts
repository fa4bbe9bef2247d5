/** ULIDs as text: 10 characters of time, 16 of chance, in an order that is that of their times. */

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_LENGTH = 10;
const SHAPE = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** The first ten characters: a time in milliseconds since 1970. */
export const writeUlidTime = (milliseconds: number): string => {
  let text = '';
  let rest = milliseconds;
  for (let at = 0; at < TIME_LENGTH; at++) {
    text = (ALPHABET[rest % 32] ?? '') + text;
    rest = Math.floor(rest / 32);
  }
  return text;
};

/** When an id was made; undefined when it is no ULID. */
export const timeOfUlid = (id: string): number | undefined => {
  if (!SHAPE.test(id)) return undefined;
  let time = 0;
  for (let at = 0; at < TIME_LENGTH; at++) time = time * 32 + ALPHABET.indexOf(id[at] ?? '');
  return time;
};
