/**
 * An object without its undefined fields. JSON drops them anyway: this is for objects that are compared, enumerated or
 * handed to code that tells an undefined field from an absent one.
 */
export const omitUndefined = <T extends object>(fields: T): T => {
  const present: Partial<T> = {};
  for (const key in fields) if (fields[key] !== undefined) present[key] = fields[key];
  return present as T;
};
