import type { KeyView, MonthUsage } from '../answers.ts';
import { useClient } from '../context.ts';
import { apiFault } from '../fault.ts';
import { Panel } from '../ui/panel.tsx';
import { Empty } from '../ui/parts.tsx';
import { useLoad } from '../use-load.ts';
import { useState } from '../use-state.ts';
import { Grants } from './grants.tsx';
import { KeyRow, type KeyUse } from './key-row.tsx';
import { NewKeyForm } from './new-key.tsx';
import { type MadeKey, Secret } from './secret.tsx';
import { Spend } from './spend.tsx';

/** The usage of each key this month, with its limits and tools. Administrators create and revoke keys here. */
export const Keys = () => {
  const client = useClient();
  const [made, setMade] = useState<MadeKey | undefined>(undefined);
  const usage = useLoad(() => client.usage(), []);
  // Only administrators may list keys; for others the usage still has their own.
  const keys = useLoad(
    () =>
      client.keys().then(
        (answer) => ({ keys: answer.keys, isAdmin: true }),
        (thrown: unknown) => {
          if (apiFault(thrown).code === 'Forbidden') return { keys: [], isAdmin: false };
          throw thrown;
        },
      ),
    [],
  );
  const shown = merge(keys.value?.keys ?? [], usage.value);
  const finish = (key: MadeKey): void => {
    setMade(key);
    keys.reload();
  };
  return (
    <div class="group">
      {made && <Secret made={made} onKept={() => setMade(undefined)} />}
      {keys.value?.isAdmin && (
        <details class="card new-key">
          <summary>Make a key</summary>
          <NewKeyForm onMade={finish} />
        </details>
      )}
      {keys.value?.isAdmin === false && (
        <p class="caution">
          This key has neither the scope admin nor tenant_admin: it sees its own use. Keys and grants are made with a
          key that has one of them.
        </p>
      )}
      <Panel title="Keys" about={`Use in ${usage.value?.month ?? 'this month'}.`} load={keys}>
        {shown.length === 0 && !keys.isLoading && (
          <Empty title="Nothing used">Calls by this key appear here. Only an admin’s key sees the others.</Empty>
        )}
        <ul class="entries">
          {shown.map((entry) => (
            <KeyRow key={entry.id} {...entry} onRevoked={keys.reload} />
          ))}
        </ul>
      </Panel>
      {keys.value?.isAdmin && <Grants keys={keys.value.keys} />}
      <Panel title="Spend by tool" about="All keys you may see, this month." load={usage}>
        {usage.value && <Spend usage={usage.value} />}
      </Panel>
    </div>
  );
};

const merge = (keys: readonly KeyView[], usage: MonthUsage | undefined): readonly KeyUse[] => {
  const used = new Map(usage?.keys.map((each) => [each.key_id, each]));
  const ids = new Set([...keys.map(({ id }) => id), ...used.keys()]);
  return [...ids].map((id) => ({
    id,
    found: keys.find((key) => key.id === id),
    calls: used.get(id)?.calls ?? 0,
    micros: used.get(id)?.micros ?? 0,
  }));
};
