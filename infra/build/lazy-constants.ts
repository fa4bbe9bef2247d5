import { transform } from 'esbuild';

/**
 * Creates schemas, kinds of stored items and routes on first use instead of when their module is evaluated: a first
 * response needs only a few of them. Input and output are modules as esbuild writes them for `require`.
 */
export const lazyConstants = async (code: string): Promise<string> => {
  const found = findLazy(statementsOf(code));
  if (found.size === 0) return code;
  const kept = statementsOf(code).filter((statement) => !found.has(nameOf(statement)));
  const members = [...found].map(
    ([name, value]) => `get ${name}() { return ${HOLDER}.${name}_made ??= ${value}; }, ${name}_made: undefined`,
  );
  // Before everything that may use it during evaluation; what it uses itself is initialised by then.
  const holder = `${HEAD}const ${HOLDER} = { ${members.join(',\n')} };\n`;
  const text = kept.join('\n').replace(HEAD, () => holder);
  // The name is no longer declared, so esbuild's `define` replaces exactly its uses.
  const define = Object.fromEntries([...found.keys()].map((name) => [name, `${HOLDER}.${name}`]));
  return (await transform(text, { loader: 'js', platform: 'node', target: 'node24', define })).code;
};

const HOLDER = 'assay_lazy';
const HEAD = 'module.exports = __toCommonJS(stdin_exports);\n';

/** The start of an expression that may be evaluated later: zod, a schema, or a function that takes schemas. */
const SCHEMA = /^(?:z\.|import_\w+\.[A-Z]\w*\.|\(0, import_(?:stored|route)\.(?:stored|route)\)\()/;
const CONSTANT = /^const (\w+) = ([\s\S]+);\s*$/;

const nameOf = (statement: string): string => CONSTANT.exec(statement)?.[1] ?? '';

const findLazy = (statements: readonly string[]): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const statement of statements) {
    const [, name = '', value = ''] = CONSTANT.exec(statement) ?? [];
    const [first = ''] = /^\w+(?=\.)/.exec(value) ?? [];
    if (SCHEMA.test(value) || found.has(first)) found.set(name, value);
  }
  return found;
};

/**
 * esbuild starts every statement of a module in the first column, where otherwise only its end can be. Lines of a
 * template literal may start there too, so a module that may contain one is not changed.
 */
const statementsOf = (code: string): readonly string[] => {
  const isWhole = code.split('\n').some((line) => (line.match(/(?<!\\)`/g) ?? []).length % 2 === 1);
  return isWhole ? [code] : code.split(/\n(?=[^\s)\]}])/);
};
