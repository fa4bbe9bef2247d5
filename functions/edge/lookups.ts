import { serializeAnswer } from '../../shared/registry/entry.ts';
import { exactVersion } from '../../shared/registry/family-versions.ts';
import { createDefinitions } from '../../shared/registry/lookup/definitions.ts';
import {
  type DefinitionsQuery,
  readDefinitionsQuery,
  readSelection,
} from '../../shared/registry/lookup/definitions-query.ts';
import { pageAnswer, pageByName } from '../../shared/registry/lookup/list-tools.ts';
import { buildFilter, readToolsQuery } from '../../shared/registry/lookup/tools-query.ts';
import { toRegistration } from '../../shared/registry/registration.ts';
import type { EdgeContext, Lookup } from './app.ts';

/** The lookups that the edge answers, by path. */
export const createLookups = (): Readonly<Record<string, Lookup>> => {
  const definitions = createDefinitions({ fragments: 4000 });
  return {
    '/v1/tools': (c, { catalog, confined }) => {
      const query = readToolsQuery(c.req.query());
      return query && pageAnswer(pageByName(catalog, query, buildFilter(query, confined)), query);
    },
    '/v1/tools/:name': lookUpTool,
    '/v1/providers/:provider/tools': (c, view) => {
      const query = readDefinitionsQuery(c.req.query());
      return isPlain(query) ? definitions.tools(view, paramOf(c, 'provider'), query) : undefined;
    },
    '/v1/prompt': (c, view) => definitions.prompt(view, readSelection(c.req.query())),
  };
};

/** Strict forms and the other parts of a request are left to the origin. */
const isPlain = ({ options }: DefinitionsQuery): boolean => {
  const { strict, mode, namespaces, callers, allowedTools } = options;
  return !(strict || mode === 'tool_search' || namespaces || callers || allowedTools);
};

/** An unknown tool may have been registered a moment ago, so the origin decides. */
const lookUpTool: Lookup = (c, { catalog, confined }) => {
  const name = paramOf(c, 'name');
  const entry = confined && !confined.has(name) ? undefined : catalog.get(name);
  const version = c.req.query('version');
  if (!entry || version === undefined) return entry?.answer;
  const record = exactVersion(entry.family, version);
  return record && serializeAnswer(toRegistration(entry.family, record));
};

const paramOf = (c: EdgeContext, name: string): string => (c.req.param() as Record<string, string>)[name] ?? '';
