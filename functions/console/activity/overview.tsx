import type { CallSummary, CallTotals, SummarySpan } from '../answers.ts';
import { useClient } from '../context.ts';
import { plural, showMoney, showMs, showPercent } from '../format.ts';
import { Tile } from '../tools/tool-page.tsx';
import { Panel } from '../ui/panel.tsx';
import { type Choice, Empty, Scroll, Tabs } from '../ui/parts.tsx';
import { useKept } from '../use-kept.ts';
import { useKeyNames } from '../use-key-names.ts';
import { useLive } from '../use-live.ts';
import { Chart } from './chart.tsx';

const SPANS: readonly Choice<SummarySpan>[] = [
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
  { value: 'month', label: 'Month' },
];
/** Calls, errors, durations and spend over time, by tool and key. */
export const Overview = () => {
  const client = useClient();
  const { nameOf } = useKeyNames();
  const [span, setSpan] = useKept<SummarySpan>('overview.span', 'day');
  const load = useLive((signal) => client.liveSummary(span, signal), [span]);
  const { value } = load;
  return (
    <div class="group">
      <Tabs<SummarySpan> label="Time" choices={SPANS} chosen={span} onChoose={setSpan} />
      {value && <Totals value={value} />}
      <Panel title="Over time" about={aboutOf(value)} load={load}>
        {value?.calls === 0 && <Empty title="No calls">Score a picture or run a tool, and it appears here.</Empty>}
        {value && value.calls > 0 && (
          <div class="columns">
            <Chart
              title="Calls"
              span={span}
              steps={value.steps}
              series={[
                ['succeeded', ({ calls, failed, refused }) => calls - failed - refused, 'accent'],
                ['refused', ({ refused }) => refused, 'warn'],
                ['failed', ({ failed }) => failed, 'bad'],
              ]}
              show={String}
            />
            <Chart
              title="Spend"
              span={span}
              steps={value.steps}
              series={[['spend', ({ micros }) => micros, 'accent']]}
              show={showMoney}
            />
            <Chart
              title="Median time (p50)"
              span={span}
              steps={value.steps}
              series={[['p50', ({ p50_ms }) => p50_ms ?? 0, 'accent']]}
              show={showMs}
            />
            <Chart
              title="95 % within (p95)"
              span={span}
              steps={value.steps}
              series={[['p95', ({ p95_ms }) => p95_ms ?? 0, 'accent']]}
              show={showMs}
            />
          </div>
        )}
      </Panel>
      {value && value.calls > 0 && (
        <div class="columns">
          <Ranking title="By tool" rows={value.tools} />
          <Ranking title="By key" rows={value.keys} nameOf={nameOf} />
        </div>
      )}
    </div>
  );
};

const aboutOf = (value: CallSummary | undefined): string =>
  value?.complete === false ? `The latest ${plural(value.calls, 'call')}.` : 'Live: every call shows within a second.';

const Totals = ({ value }: { readonly value: CallSummary }) => {
  const ran = value.calls - value.refused;
  return (
    <dl class="tiles">
      <Tile name="Calls" value={String(value.calls)} />
      <Tile name="Succeeded" value={showPercent(ran === 0 ? null : (ran - value.failed) / ran)} />
      <Tile name="Median time (p50)" value={showMs(value.p50_ms)} />
      <Tile name="95 % within (p95)" value={showMs(value.p95_ms)} />
      <Tile name="Spend" value={showMoney(value.micros)} />
    </dl>
  );
};

interface RankingProps {
  readonly title: string;
  readonly rows: readonly (CallTotals & { readonly name: string })[];
  /** The name people gave it, where it is known by an id. */
  nameOf?(id: string): string;
}

const Ranking = ({ title, rows, nameOf = (id) => id }: RankingProps) => (
  <section class="card" aria-label={title}>
    <h2>{title}</h2>
    <Scroll label={`${title}, table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" class="number">
              Calls
            </th>
            <th scope="col" class="number">
              Failed
            </th>
            <th scope="col" class="number">
              p95
            </th>
            <th scope="col" class="number">
              Spend
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, calls, failed, p95_ms: p95, micros }) => (
            <tr key={name}>
              <td>{nameOf(name) === name ? <code>{name}</code> : <span title={name}>{nameOf(name)}</span>}</td>
              <td class="number">{calls}</td>
              <td class="number">{failed}</td>
              <td class="number">{showMs(p95)}</td>
              <td class="number">{showMoney(micros)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  </section>
);
