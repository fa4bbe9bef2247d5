/** The parameters whose arguments are wrong by the rules of the Berkeley Function Calling Leaderboard. */
export const wrongArguments = (
  given: Readonly<Record<string, unknown>>,
  acceptable: Readonly<Record<string, readonly unknown[]>>,
): readonly string[] => {
  const wrong = Object.entries(acceptable)
    .filter(([name, values]) =>
      name in given ? !values.some((value) => isAcceptable(given[name], value)) : !mayBeAbsent(values),
    )
    .map(([name]) => name);
  return [...wrong, ...Object.keys(given).filter((name) => !(name in acceptable))];
};

/** An empty string among the acceptable values means that the parameter may be left out. */
const mayBeAbsent = (values: readonly unknown[]): boolean => values.includes('');

export const isAcceptable = (given: unknown, wanted: unknown): boolean => {
  if (typeof given === 'string' && typeof wanted === 'string') return plain(given) === plain(wanted);
  if (typeof given === 'number' && typeof wanted === 'number') return given === wanted;
  if (Array.isArray(given) && Array.isArray(wanted)) {
    return given.length === wanted.length && given.every((item, at) => isAcceptable(item, wanted[at]));
  }
  if (isRecord(given) && isRecord(wanted)) {
    const lists = Object.entries(wanted).map(
      ([key, values]) => [key, Array.isArray(values) ? values : [values]] as const,
    );
    return wrongArguments(given, Object.fromEntries(lists)).length === 0;
  }
  return given === wanted;
};

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[ ,./\-_*^]/gu, '')
    .replaceAll("'", '"');

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
