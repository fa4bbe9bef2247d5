/** Computes a pure value on first use and caches it. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Caches the pure value of the last key, for tables that depend on a size. */
export function keepLast<T, Key = string>(): (key: Key, make: () => T) => T {
  let last: { readonly key: Key; readonly value: T } | undefined;
  return (key, make) => {
    if (last?.key !== key) last = { key, value: make() };
    return last.value;
  };
}

/** A promise that is created on first use; a rejected one is dropped, so that the next call tries again. */
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

type Port<Name extends string> = Readonly<Record<Name, (...given: never[]) => Promise<unknown>>>;

/** A port that is loaded by the first call of one of its methods, for what is large to load. */
export const lazyPort = <Name extends string, T extends Port<Name>>(
  methods: readonly Name[],
  make: () => Promise<T>,
): Pick<T, Name> => {
  const made = lazyAsync(make);
  const later = methods.map((name) => [name, async (...given: never[]) => (await made())[name](...given)]);
  return Object.fromEntries(later) as Pick<T, Name>;
};
