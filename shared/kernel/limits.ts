/** Limits of the public surface that are needed where no schema is read, such as in the console. */

/** Nodes of a plan. */
export const MAX_NODES = 200;
