import { decodeTime, encodeTime, TIME_LEN } from 'ulid';

/** Ids of calls and runs are ULIDs: ten characters of time and sixteen random ones, so they sort by time. */

// The package's own check also accepts lower case, and times that it cannot decode.
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** The first ten characters of ids made at a time, in milliseconds since 1970. */
export const ulidTime = (milliseconds: number): string => encodeTime(milliseconds, TIME_LEN);

/** When an id was made; undefined when it is not a ULID. */
export const timeOfUlid = (id: string): number | undefined => (ULID.test(id) ? decodeTime(id) : undefined);
