/**
 * A resource as its own interface. The library's interfaces are not written for exactOptionalPropertyTypes, so its
 * classes do not fit them by that rule, though they do when they run.
 */
export const fits = <Interface>(resource: Interface extends object ? object : never): Interface =>
  resource as Interface;
