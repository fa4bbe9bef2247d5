export { readCursor, writeCursor } from '../../shared/lookup/cursor.ts';
