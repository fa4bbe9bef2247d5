/** Makes a value when it is first asked for, and keeps it. For pure values only. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Remembers the value of the last key, for tables that depend on a size. For pure values only. */
export function keepLast<T, Key = string>(): (key: Key, make: () => T) => T {
  let last: { readonly key: Key; readonly value: T } | undefined;
  return (key, make) => {
    if (last?.key !== key) last = { key, value: make() };
    return last.value;
  };
}
