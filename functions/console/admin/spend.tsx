import type { MonthUsage } from '../answers.ts';
import { plural, showMoney } from '../format.ts';
import { Empty, Meter, Scroll } from '../ui/parts.tsx';

/** The spend of each tool in a month, highest first. */
export const Spend = ({ usage }: { readonly usage: MonthUsage }) => {
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
