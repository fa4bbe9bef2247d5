import type { RequestOptions } from '../../providers/types.ts';
import { isTrue, type Params, parseListParam, parseOneOf } from './query-params.ts';

/** Which tools are offered to a model. */
export interface Selection {
  readonly allowed?: readonly string[];
  readonly tags?: readonly string[];
  readonly category?: string;
}

/** The query of `GET /v1/providers/:provider/tools`. */
export interface DefinitionsQuery {
  readonly selection: Selection;
  readonly options: RequestOptions;
  readonly isExplained: boolean;
}

export const readSelection = (params: Params): Selection => {
  const allowed = parseListParam(params, 'allowed');
  const tags = parseListParam(params, 'tags');
  const { category } = params;
  return {
    allowed,
    tags,
    category,
  };
};

export const readDefinitionsQuery = (params: Params): DefinitionsQuery => ({
  selection: readSelection(params),
  options: {
    strict: isTrue(params, 'strict') || undefined,
    defer: isTrue(params, 'defer') || undefined,
    schema: parseOneOf(params, 'schema', ['json']),
    namespaces: isTrue(params, 'namespaces') || undefined,
    callers: parseOneOf(params, 'callers', ['programmatic']),
    allowedTools: parseListParam(params, 'allowed_tools'),
    mode: parseOneOf(params, 'mode', ['search', 'tool_search']),
  },
  isExplained: isTrue(params, 'explain'),
});
