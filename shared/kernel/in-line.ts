/** Does the works of one key one after another; those of different keys do not wait for each other. */
export type InLine = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export const createLines = (): InLine => {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const done = last.get(key)?.then(work, work) ?? work();
    last.set(key, done);
    const forget = (): void => void (last.get(key) === done && last.delete(key));
    done.then(forget, forget);
    return done;
  };
};
