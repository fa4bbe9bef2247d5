import { transform } from 'esbuild';

/**
 * Schemas, kinds of stored items and routes are made with their first use, not all when their module runs: a first
 * answer needs a few of them. Takes and gives a module as esbuild writes it for `require`.
 */
export const lazyConstants = async (code: string): Promise<string> => {
  const found = findLazy(statementsOf(code));
  if (found.size === 0) return code;
  const kept = statementsOf(code).filter((statement) => !found.has(nameOf(statement)));
  const members = [...found].map(
    ([name, value]) => `get ${name}() { return ${HOLDER}.${name}_made ??= ${value}; }, ${name}_made: undefined`,
  );
  // Before all that may use it while the module runs; what it uses itself is there by then.
  const holder = `${HEAD}const ${HOLDER} = { ${members.join(',\n')} };\n`;
  const text = kept.join('\n').replace(HEAD, () => holder);
  // A name that nothing declares any more: esbuild knows which of its uses mean it.
  const define = Object.fromEntries([...found.keys()].map((name) => [name, `${HOLDER}.${name}`]));
  return (await transform(text, { loader: 'js', platform: 'node', target: 'node24', define })).code;
};

const HOLDER = 'assay_lazy';
const HEAD = 'module.exports = __toCommonJS(stdin_exports);\n';

/** What a value begins with that may be made later: zod, a schema, or one of the functions that take them. */
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
 * esbuild begins every statement of a module in the first column, and there only its end else. Lines of a text may begin
 * there too: a module that may have one stays whole.
 */
const statementsOf = (code: string): readonly string[] => {
  const isWhole = code.split('\n').some((line) => (line.match(/(?<!\\)`/g) ?? []).length % 2 === 1);
  return isWhole ? [code] : code.split(/\n(?=[^\s)\]}])/);
};
