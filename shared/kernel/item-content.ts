import type { Item } from './ports.ts';

/** What an item of ours says, without the version of its format. It was checked when written, not again when read. */
export const contentOf = <T>({ body }: Pick<Item, 'body'>): T => {
  const { v: _, ...content } = body;
  return content as T;
};
