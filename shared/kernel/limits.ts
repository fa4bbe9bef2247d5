/** Limits of the public API that are needed without loading schemas, such as in the console. */

/** Nodes of a plan. */
export const MAX_NODES = 200;
