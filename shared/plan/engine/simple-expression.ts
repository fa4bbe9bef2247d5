/** Reads a variable; undefined when there is none. */
export type ReadVariable = (name: string) => unknown;

/** The value, or `UNSURE` where JSONata has to decide. */
export type SimpleExpression = (read: ReadVariable) => unknown;

/** JSONata maps paths over arrays and has its own rules for comparing structures: such cases are left to it. */
export const UNSURE = Symbol('unsure');

const PATH = String.raw`\$[A-Za-z_]\w*(?:\.[A-Za-z_]\w*(?:\[\d+\])?)*`;
const COMPARISON = String.raw`${PATH} !?= '[^'\\]*'`;
const isPath = new RegExp(`^${PATH}$`);
const isComparisons = new RegExp(`^${COMPARISON}(?: or ${COMPARISON})*$`);

/**
 * Evaluates the expressions of generated machines without JSONata, which takes many times as long: variables, paths,
 * and comparisons of paths with a text. Undefined for any other expression.
 */
export function simpleExpression(source: string): SimpleExpression | undefined {
  if (isPath.test(source)) return path(source);
  return isComparisons.test(source)
    ? anyOf([...source.matchAll(new RegExp(COMPARISON, 'g'))].map(([one]) => one))
    : undefined;
}

function path(source: string): SimpleExpression {
  const [variable = '', ...steps] = source.slice(1).split('.');
  const parts = steps.map((step) => {
    const [name = '', index] = step.split(/[[\]]/);
    return { name, index: index === undefined ? undefined : Number(index) };
  });
  return (read) => {
    let value = read(variable);
    for (const { name, index } of parts) {
      if (Array.isArray(value)) return UNSURE;
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
      value = (value as Readonly<Record<string, unknown>>)[name];
      if (index === undefined) continue;
      if (!Array.isArray(value) || index >= value.length) return UNSURE;
      value = value[index];
      if (Array.isArray(value)) return UNSURE;
    }
    return value;
  };
}

function anyOf(sources: readonly string[]): SimpleExpression {
  const comparisons = sources.map(comparison);
  return (read) => {
    for (const one of comparisons) {
      const holds = one(read);
      if (holds !== false) return holds;
    }
    return false;
  };
}

function comparison(source: string): SimpleExpression {
  const [left = '', operator = '', ...text] = source.split(' ');
  const value = path(left);
  const wanted = text.join(' ').slice(1, -1);
  return (read) => {
    const found = value(read);
    // In JSONata, a missing value is neither equal nor unequal to anything.
    if (found === undefined) return false;
    if (found === UNSURE || typeof found === 'object') return UNSURE;
    return (found === wanted) === (operator === '=');
  };
}
