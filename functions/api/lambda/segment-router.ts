import { METHOD_NAME_ALL, type Params, type Result, type Router, UnsupportedPathError } from 'hono/router';

interface Listed<T> {
  readonly method: string;
  readonly segments: readonly string[];
  readonly handler: T;
}

/**
 * Finds routes whose path segments are literal or `:name`, as all of the API's are. Hono's own router compiles a
 * regular expression of all routes before its first answer; this one compiles nothing. For other paths, `SmartRouter`
 * uses the next router.
 */
export class SegmentRouter<T> implements Router<T> {
  readonly name = 'SegmentRouter';
  /** By number of segments, in order of registration. */
  readonly #routes = new Map<number, Listed<T>[]>();

  add(method: string, path: string, handler: T): void {
    const segments = path.split('/');
    if (!segments.every((segment) => SEGMENT.test(segment))) throw new UnsupportedPathError(path);
    const listed = this.#routes.get(segments.length);
    if (listed) listed.push({ method, segments, handler });
    else this.#routes.set(segments.length, [{ method, segments, handler }]);
  }

  match(method: string, path: string): Result<T> {
    const asked = path.split('/');
    const found: [T, Params][] = [];
    for (const route of this.#routes.get(asked.length) ?? [])
      if (route.method === method || route.method === METHOD_NAME_ALL) {
        const params = paramsOf(route.segments, asked);
        if (params) found.push([route.handler, params]);
      }
    return [found];
  }
}

const SEGMENT = /^(?::\w+|[\w.-]*)$/;

const paramsOf = (segments: readonly string[], asked: readonly string[]): Params | undefined => {
  let params: Params | undefined;
  // From the end, because paths share their beginnings.
  for (let at = segments.length - 1; at >= 0; at--) {
    const segment = segments[at] ?? '';
    const value = asked[at] ?? '';
    if (segment.startsWith(':')) {
      if (value === '') return undefined;
      params ??= {};
      params[segment.slice(1)] = value;
    } else if (segment !== value) return undefined;
  }
  return params ?? NONE;
};

const NONE: Params = Object.freeze({});
