import type { Execution } from '../answers.ts';
import { useClient } from '../context.ts';
import { showTime } from '../format.ts';
import { Scroll } from '../ui/parts.tsx';
import { useLoad } from '../use-load.ts';

interface Props {
  readonly sha256: string;
  /** Reloaded when this changes, after each score. */
  readonly turn: unknown;
}

/** Earlier scores of the same picture by anybody in this tenant, among its latest calls. */
export const ScoreHistory = ({ sha256, turn }: Props) => {
  const client = useClient();
  const load = useLoad(() => client.executions({ tool: 'score', status: 'ok', limit: '200' }), [sha256, turn]);
  const before = (load.value?.executions ?? []).filter((call) => pictureOf(call) === sha256);
  if (before.length < 2) return null;
  return (
    <details class="card">
      <summary>This picture was scored {before.length} times</summary>
      <Scroll label="Earlier scores of this picture">
        <table>
          <thead>
            <tr>
              <th>When</th>
              <th class="number">Overall</th>
              <th>Metrics</th>
              <th>Compared with</th>
            </tr>
          </thead>
          <tbody>
            {before.map((call) => (
              <HistoryRow key={call.call_id} call={call} />
            ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  );
};

interface Scored {
  readonly scores?: readonly { readonly tool: string; readonly normalized?: number }[];
  readonly overall?: { readonly score?: number };
}

const HistoryRow = ({ call }: { readonly call: Execution }) => {
  const { scores = [], overall } = (call.output ?? {}) as Scored;
  const { reference } = call.arguments as { readonly reference?: { readonly sha256?: string } };
  return (
    <tr>
      <td class="small">{showTime(call.at)}</td>
      <td class="number">{overall?.score?.toFixed(2) ?? '–'}</td>
      <td class="small">
        {scores.map(({ tool, normalized }) => `${tool} ${normalized?.toFixed(2) ?? '–'}`).join(', ')}
      </td>
      <td class="small">{reference?.sha256 === undefined ? 'nothing' : <code>{reference.sha256.slice(0, 8)}</code>}</td>
    </tr>
  );
};

const pictureOf = (call: Execution): string | undefined =>
  (call.arguments as { readonly image?: { readonly sha256?: string } } | undefined)?.image?.sha256;
