import { useClient } from '../context.ts';
import { Panel } from '../ui/panel.tsx';
import { Badge, Empty, Field, Meter } from '../ui/parts.tsx';
import { useKept } from '../use-kept.ts';
import { useLoad } from '../use-load.ts';

/** The recommended tools, for a task or overall, with reasons. */
export const Recommendations = () => {
  const client = useClient();
  const [task, setTask] = useKept('recommended.task', '');
  const load = useLoad(() => client.recommendations({ task: task.trim(), limit: '10' }), [task]);
  const found = load.value?.recommendations ?? [];
  return (
    <Panel title="Recommended" about="By fit, success, speed and feedback." load={load}>
      <Field label="For a task">
        <input
          type="text"
          placeholder="any task"
          value={task}
          onChange={(event: Event) => setTask((event.target as HTMLInputElement).value)}
        />
      </Field>
      {found.length === 0 && <Empty title="No recommendation">No tool fits this task. Say it in other words.</Empty>}
      <ol class="entries">
        {found.map(({ tool, score, parts, whitelisted, trial, why }) => (
          <li key={tool} class="entry">
            <div class="row between">
              <div class="row">
                <a class="tool-name" href={`#/tools/${tool}`}>
                  {tool}
                </a>
                {whitelisted && <Badge tone="good">whitelisted</Badge>}
                {trial && <Badge tone="warn">on trial</Badge>}
              </div>
              <strong class="number">{score.toFixed(2)}</strong>
            </div>
            <p class="small muted">{why.join(' · ')}</p>
            <div class="parts">
              {Object.entries(parts).map(([name, value]) => (
                <div key={name}>
                  <span class="tiny muted">
                    {name} {value.toFixed(2)}
                  </span>
                  <Meter share={value} label={`${name} ${value.toFixed(2)}`} />
                </div>
              ))}
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
};
