import { requireScope } from '../access/scopes.ts';
import { visibleTools } from '../access/visible-tools.ts';
import type { FairTurns } from '../kernel/fair-turns.ts';
import type { Table } from '../kernel/ports.ts';
import type { Actor } from '../model/key.ts';
import { readRevision } from './families.ts';
import { readableFamilies } from './read-families.ts';
import { toSnapshotTool } from './snapshot.ts';

interface Context {
  readonly table: Table;
  readonly turns: Pick<FairTurns, 'own'>;
}

/**
 * The tenant's own tools and switches that the key sees, read from the store: the text of a snapshot in parts, as it
 * may have more than 100 MB. Tools of a source are left out, approved or not: they come back with the source.
 */
export const exportSnapshot = async (context: Context, actor: Actor): Promise<AsyncIterable<string>> => {
  requireScope(actor, 'read');
  const revision = await readRevision(context.table, actor.tenant);
  // What cannot be read is refused by name, which a begun answer could not.
  for await (const _ of ownFamilies(context, actor));
  return write(context, actor, revision);
};

async function* write(context: Context, actor: Actor, revision: number): AsyncGenerator<string> {
  const disabled: string[] = [];
  yield `{"v":1,"revision":${revision},"tools":[`;
  let separator = '';
  for await (const family of ownFamilies(context, actor))
    if (family.versions.length === 0) disabled.push(family.name);
    else {
      yield `${separator}${JSON.stringify(toSnapshotTool(family))}`;
      separator = ',';
    }
  yield `],"disabled":${JSON.stringify(disabled)}}`;
}

async function* ownFamilies({ table, turns }: Context, actor: Actor) {
  const visible = visibleTools(actor);
  for await (const family of readableFamilies(table, actor.tenant, () => turns.own(actor.tenant)))
    if (visible.has(family.name) && family.source === undefined) yield family;
}
