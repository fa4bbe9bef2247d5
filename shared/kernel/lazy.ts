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
