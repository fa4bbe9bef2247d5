/** Lets everything else go on that waits for the event loop: between slices of work that takes long in all. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
