/** Limits of the public API that are needed without loading schemas, such as in the console. */

/** Nodes of a plan. */
export const MAX_NODES = 200;

/** Bytes of a stored picture. */
export const MAX_PICTURE_BYTES = 100 * 1024 * 1024;
