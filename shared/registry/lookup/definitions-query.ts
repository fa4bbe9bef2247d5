import type { DefineOptions } from '../../providers/types.ts';
import { isTrue, oneOf, type Params, wordsIn } from './query-params.ts';

/** Which tools a model shall be told of. */
export interface Selection {
  readonly allowed?: readonly string[];
  readonly tags?: readonly string[];
  readonly category?: string;
}

/** What `GET /v1/providers/:provider/tools` is asked for. */
export interface DefinitionsQuery {
  readonly selection: Selection;
  readonly options: DefineOptions;
  readonly isSearch: boolean;
  readonly isExplained: boolean;
}

export const readSelection = (params: Params): Selection => {
  const allowed = wordsIn(params, 'allowed');
  const tags = wordsIn(params, 'tags');
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
    ...(isTrue(params, 'strict') ? { strict: true } : {}),
    ...(isTrue(params, 'defer') ? { defer: true } : {}),
    ...(oneOf(params, 'schema', ['json']) ? { schema: 'json' } : {}),
  },
  isSearch: oneOf(params, 'mode', ['search']) !== undefined,
  isExplained: isTrue(params, 'explain'),
});
