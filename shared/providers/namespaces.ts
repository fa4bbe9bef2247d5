import type { Tool } from '../model/tool.ts';
import { excerpt } from './json.ts';
import { encodeName, FUNCTION_NAME } from './names.ts';

export interface Namespace<Entry> {
  readonly type: 'namespace';
  readonly name: string;
  readonly description: string;
  readonly tools: Entry[];
}

interface Grouped<Entry> {
  readonly group: string | undefined;
  readonly tool: string;
  readonly value: Entry;
}

/** OpenAI recommends fewer than ten functions per namespace. */
const MOST = 9;

/** A tool's group: the part of its name before the first dot, or its category. */
export function groupOf({ name, category }: Tool): string | undefined {
  const dot = name.indexOf('.');
  return dot > 0 ? name.slice(0, dot) : category;
}

/** Puts entries into namespaces, in the order of their first entries; entries without a group stay outside. */
export function inNamespaces<Entry>(entries: readonly Grouped<Entry>[]): readonly (Entry | Namespace<Entry>)[] {
  const groups = Map.groupBy(
    entries.filter(({ group }) => group !== undefined),
    ({ group }) => encodeName(group ?? '', FUNCTION_NAME),
  );
  const taken = new Set(groups.keys());
  const spaces = [...groups].flatMap(([name, members]) => {
    const count = Math.ceil(members.length / MOST);
    return Array.from({ length: count }, (_, at) =>
      toNamespace(at === 0 ? name : nextName(name, taken), members.slice(at * MOST, (at + 1) * MOST)),
    );
  });
  return [...spaces, ...entries.filter(({ group }) => group === undefined).map(({ value }) => value)];
}

function nextName(name: string, taken: Set<string>): string {
  let count = 2;
  while (taken.has(`${name.slice(0, 58)}_${count}`)) count += 1;
  taken.add(`${name.slice(0, 58)}_${count}`);
  return `${name.slice(0, 58)}_${count}`;
}

const toNamespace = <Entry>(name: string, members: readonly Grouped<Entry>[]): Namespace<Entry> => ({
  type: 'namespace',
  name,
  description: excerpt(`Tools of ${members[0]?.group}: ${members.map(({ tool }) => tool).join(', ')}`, 300),
  tools: members.map(({ value }) => value),
});
