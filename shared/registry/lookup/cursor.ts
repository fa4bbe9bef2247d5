import { sha256 } from '../../kernel/canonical-json.ts';
import { Fault } from '../../kernel/errors.ts';

/** Encodes a list position. A cursor used with another query is refused. */
export const writeCursor = (after: string, query: string): string =>
  Buffer.from(`${computeChecksum(after, query)}${after}`).toString('base64url');

export const readCursor = (cursor: string, query: string): string => {
  const text = Buffer.from(cursor, 'base64url').toString();
  const after = text.slice(CHECK_LENGTH);
  if (text.slice(0, CHECK_LENGTH) === computeChecksum(after, query) && after !== '') return after;
  throw new Fault(
    'InvalidInput',
    'cursor is not of this list; send next_cursor of the previous page with the same query',
    {
      field: 'cursor',
      value: cursor.slice(0, 100),
    },
  );
};

const CHECK_LENGTH = 12;
const computeChecksum = (after: string, query: string): string => sha256(`${query}\n${after}`).slice(0, CHECK_LENGTH);
