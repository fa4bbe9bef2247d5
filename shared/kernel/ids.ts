import { decodeTime, encodeTime, TIME_LEN } from 'ulid';

/** Ids of calls and runs are ULIDs: ten characters of time, sixteen of chance, in the order of their times. */

// The package's own check takes small letters too, and times that it then cannot read.
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** The first ten characters of ids made at a time, in milliseconds since 1970. */
export const ulidTime = (milliseconds: number): string => encodeTime(milliseconds, TIME_LEN);

/** When an id was made; undefined when it is no ULID. */
export const timeOfUlid = (id: string): number | undefined => (ULID.test(id) ? decodeTime(id) : undefined);
