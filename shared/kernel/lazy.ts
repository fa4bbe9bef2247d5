/** A value that is made when it is first asked for, and kept. What throws is tried again. */
export const lazy = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** The same for a promise: one that is rejected is forgotten, so that the next call tries again. */
export const lazyAsync = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => {
    const promise = made ?? make();
    made = promise;
    promise.catch(() => {
      if (made === promise) made = undefined;
    });
    return promise;
  };
};
