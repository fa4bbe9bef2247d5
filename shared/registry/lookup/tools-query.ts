import { distortions, iqaTypes } from '../../model/distortions.ts';
import type { Distortion, IqaType } from '../../model/iqa.ts';
import type { Filter } from '../filter.ts';
import { MAX_WORDS_LENGTH, type Params, splitList } from './query-params.ts';

/** The query of `GET /v1/tools`. */
export interface ToolsQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly category?: string | undefined;
  readonly name_pattern?: string | undefined;
  readonly capability?: readonly string[] | undefined;
  readonly type?: IqaType | undefined;
  readonly distortion?: Distortion | undefined;
  readonly allowed?: readonly string[] | undefined;
  readonly include_disabled?: 'true' | 'false' | undefined;
  readonly q?: string | undefined;
}

const DEFAULT_LIMIT = 100;

/**
 * Parses a simple query without a schema library. Undefined means the full schema must parse it and report errors; a
 * pattern or a search text always needs the schema.
 */
export const readToolsQuery = (params: Params): ToolsQuery | undefined => {
  const { limit, cursor, category, type, distortion, include_disabled } = params;
  if (params.q !== undefined || params.name_pattern !== undefined) return undefined;
  if (limit !== undefined && !/^(1000|[1-9]\d{0,2})$/.test(limit)) return undefined;
  if ((cursor?.length ?? 0) > 512 || (category?.length ?? 0) > 128) return undefined;
  if (type !== undefined && !isOneOf(type, iqaTypes)) return undefined;
  if (distortion !== undefined && !isOneOf(distortion, distortions)) return undefined;
  if (include_disabled !== undefined && !isOneOf(include_disabled, ['true', 'false'] as const)) return undefined;
  const lists = [params.tags, params.capability, params.allowed];
  if (lists.some((text) => (text?.length ?? 0) > MAX_WORDS_LENGTH)) return undefined;
  return {
    limit: limit === undefined ? DEFAULT_LIMIT : Number(limit),
    cursor,
    tags: parseList(params.tags),
    category,
    capability: parseList(params.capability),
    type,
    distortion,
    allowed: parseList(params.allowed),
    include_disabled,
  };
};

const isOneOf = <T extends string>(value: string, values: readonly T[]): value is T => values.includes(value as T);

const parseList = (text: string | undefined): readonly string[] | undefined =>
  text === undefined ? undefined : splitList(text);

/** What a cursor of this list is bound to, independent of the page. */
export const cursorScope = (query: ToolsQuery): string =>
  JSON.stringify([
    query.tags,
    query.category,
    query.name_pattern,
    query.capability,
    query.type,
    query.distortion,
    query.allowed,
    query.include_disabled,
    query.q,
  ]);

/** The query's filter, limited to the tools that the key is confined to. */
export const buildFilter = (query: ToolsQuery, confined: ReadonlySet<string> | undefined): Filter => ({
  tags: query.tags,
  category: query.category,
  capabilities: query.capability && Object.fromEntries(query.capability.map((flag) => [flag, true])),
  type: query.type,
  distortion: query.distortion,
  allowed: allowedNames(query.allowed, confined),
});

/** The requested names that the key may see; undefined where there is no restriction. */
export const allowedNames = (
  asked: readonly string[] | undefined,
  confined: ReadonlySet<string> | undefined,
): Filter['allowed'] => {
  if (asked === undefined) return confined;
  return new Set(asked.filter((name) => confined === undefined || confined.has(name)));
};
