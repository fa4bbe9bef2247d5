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
