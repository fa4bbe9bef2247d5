export { readCursor, writeCursor } from '../../shared/registry/lookup/cursor.ts';
