import type { KeyView, Usage } from '../answers.ts';
import { useClient } from '../context.ts';
import { faultOf } from '../fault.ts';
import { plural, showMoney, showTime } from '../format.ts';
import { Badge, Empty, Meter, Scroll } from '../ui/parts.tsx';
import { useLoad } from '../use-load.ts';
import { Panel } from './panel.tsx';

/** What each key used this month beside what it may, and on which tools. */
export const Keys = () => {
  const client = useClient();
  const usage = useLoad(() => client.usage(), []);
  // Keys are an admin's to see; without them the usage still names its own.
  const keys = useLoad(
    () =>
      client.keys().catch((thrown: unknown) => {
        if (faultOf(thrown).code === 'Forbidden') return { keys: [] };
        throw thrown;
      }),
    [],
  );
  const shown = merge(keys.value?.keys ?? [], usage.value);
  return (
    <>
      <Panel title="Keys" about={`Use in ${usage.value?.month ?? 'this month'}.`} load={keys}>
        {shown.length === 0 && <Empty title="No keys">Make one: npx assay keys create --scopes invoke</Empty>}
        <ul class="entries">
          {shown.map((entry) => (
            <KeyRow key={entry.id} {...entry} />
          ))}
        </ul>
      </Panel>
      <Panel title="Spend by tool" about="All keys you may see, this month." load={usage}>
        {usage.value && <Spend usage={usage.value} />}
      </Panel>
    </>
  );
};

interface Row {
  readonly id: string;
  readonly found: KeyView | undefined;
  readonly calls: number;
  readonly micros: number;
}

const merge = (keys: readonly KeyView[], usage: Usage | undefined): readonly Row[] => {
  const used = new Map(usage?.keys.map((each) => [each.key_id, each]));
  const ids = new Set([...keys.map(({ id }) => id), ...used.keys()]);
  return [...ids].map((id) => ({
    id,
    found: keys.find((key) => key.id === id),
    calls: used.get(id)?.calls ?? 0,
    micros: used.get(id)?.micros ?? 0,
  }));
};

const KeyRow = ({ id, found, calls, micros }: Row) => {
  const { quota = {}, scopes = [], name } = found ?? {};
  return (
    <li class="entry">
      <div class="row between">
        <div class="row">
          <strong>{name ?? id}</strong>
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
          {found?.revoked_at !== undefined && <Badge tone="bad">revoked</Badge>}
        </div>
        <span class="number small">
          {plural(calls, 'call')}, {showMoney(micros)}
        </span>
      </div>
      {quota.calls !== undefined && (
        <Quota used={calls} most={quota.calls} text={`${calls} of ${plural(quota.calls, 'call')}`} />
      )}
      {quota.micros !== undefined && (
        <Quota used={micros} most={quota.micros} text={`${showMoney(micros)} of ${showMoney(quota.micros)}`} />
      )}
      <p class="tiny muted">
        {id}
        {found?.expires_at === undefined ? '' : ` · expires ${showTime(found.expires_at)}`}
      </p>
    </li>
  );
};

interface QuotaProps {
  readonly used: number;
  readonly most: number;
  readonly text: string;
}

const Quota = ({ used, most, text }: QuotaProps) => (
  <div class="quota">
    <Meter share={most === 0 ? 1 : used / most} label={`Quota: ${text}`} />
    <span class="tiny muted">{text}</span>
  </div>
);

const Spend = ({ usage }: { readonly usage: Usage }) => {
  const byTool = new Map<string, { calls: number; micros: number }>();
  for (const { tool, calls, micros } of usage.keys.flatMap(({ tools }) => tools)) {
    const sum = byTool.get(tool) ?? { calls: 0, micros: 0 };
    byTool.set(tool, { calls: sum.calls + calls, micros: sum.micros + micros });
  }
  const rows = [...byTool].sort(([, a], [, b]) => b.micros - a.micros);
  const most = Math.max(1, ...rows.map(([, { micros }]) => micros));
  if (rows.length === 0)
    return <Empty title="Nothing spent">Lookups are free; calls, scores and runs appear here.</Empty>;
  return (
    <Scroll label="Table of spend">
      <table>
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col">Share</th>
            <th scope="col" class="number">
              Calls
            </th>
            <th scope="col" class="number">
              Spend
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([tool, { calls, micros }]) => (
            <tr key={tool}>
              <td>
                <code>{tool}</code>
              </td>
              <td class="spend-bar">
                <Meter share={micros / most} label={showMoney(micros)} />
              </td>
              <td class="number">{calls}</td>
              <td class="number">{showMoney(micros)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="small muted">
        Together {plural(usage.calls, 'call')}, {showMoney(usage.micros)}.
      </p>
    </Scroll>
  );
};
