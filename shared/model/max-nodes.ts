/** In a file of its own, so that the picture of a plan can be laid out where no schema is read. */
export const MAX_NODES = 200;
