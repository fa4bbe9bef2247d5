/** Machines with one GPU of at least 16 GB, 4 processors and 16 GiB, by falling age of their GPU. */
export const GPU_INSTANCES = ['g6.xlarge', 'g5.xlarge', 'g4dn.xlarge'] as const;
