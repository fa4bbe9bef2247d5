/** A schema in which each part refers to the next one twice, so that checking it takes 2 to the power of its depth. */
export const doublingSchema = (depth: number): Readonly<Record<string, unknown>> => {
  const twice = (n: number) => ({ allOf: [{ $ref: `#/$defs/p${n}` }, { $ref: `#/$defs/p${n}` }] });
  const $defs = Object.fromEntries(Array.from({ length: depth }, (_, n) => [`p${n}`, twice(n + 1)]));
  return { type: 'object', allOf: [{ $ref: '#/$defs/p0' }], $defs: { ...$defs, [`p${depth}`]: { type: 'object' } } };
};
