import type { IqaTool, Registration } from '../answers.ts';
import { useClient } from '../context.ts';
import { plural } from '../format.ts';
import { Notice } from '../ui/notice.tsx';
import { Badge, Button, Empty, Skeleton } from '../ui/parts.tsx';
import { useKept } from '../use-kept.ts';
import { useLoad } from '../use-load.ts';
import { useSettled } from '../use-settled.ts';
import { Filters, NO_FILTER } from './filters.tsx';
import { PermissionBadge } from './permission-badge.tsx';

/** The catalogue, with search and filters. */
export const ToolsPage = () => {
  const client = useClient();
  const [filter, setFilter] = useKept('tools.filter', NO_FILTER);
  const settled = useSettled(filter, 180);
  const all = useLoad(() => client.tools({ limit: '1000' }), []);
  const found = useLoad(() => client.tools({ ...settled, limit: '200' }), [JSON.stringify(settled)]);
  const metrics = useLoad(() => client.iqaTools(), []);
  const tools = found.value?.tools;
  return (
    <div class="page">
      <div class="page-head">
        <div class="row between">
          <h1>Tools</h1>
          <a class="button plain" href="#/tools/+">
            Register a tool
          </a>
        </div>
        <p class="lead">Everything an agent can call here, as each model provider wants it, ready to try.</p>
      </div>
      <Filters filter={filter} tools={all.value?.tools ?? []} onChange={setFilter} />
      <Notice fault={found.fault ?? all.fault} onRetry={found.fault ? found.reload : all.reload} />
      <section class="card list" aria-label="Found tools" aria-busy={found.isLoading ? 'true' : 'false'}>
        <p class="small muted" aria-live="polite">
          {tools
            ? `${plural(tools.length, 'tool')}${found.value?.next_cursor === undefined ? '' : ' and more: narrow the search'}`
            : 'Loading'}
        </p>
        {!tools && !found.fault && <Skeleton rows={8} />}
        {tools?.length === 0 && <NothingFound onClear={() => setFilter(NO_FILTER)} />}
        <ul class="tool-list">
          {tools?.map((tool) => (
            <ToolRow key={tool.spec.name} tool={tool} />
          ))}
        </ul>
      </section>
      <Missing metrics={metrics.value?.tools ?? []} />
    </div>
  );
};

const NothingFound = ({ onClear }: { onClear(): void }) => (
  <Empty title="No tool matches">
    Try fewer words or filters. <Button onClick={onClear}>Clear the filters</Button>
  </Empty>
);

const ToolRow = ({ tool: { spec, enabled, deprecated } }: { readonly tool: Registration }) => (
  <li class="tool-row">
    <div class="tool-about">
      <a class="tool-name" href={`#/tools/${spec.name}`}>
        {spec.name}
      </a>
      <p class="tool-text">{spec.description}</p>
    </div>
    <div class="tool-marks">
      {spec.category !== undefined && <Badge>{spec.category}</Badge>}
      {spec.iqa && <Badge tone="accent">{spec.iqa.type === 'FR' ? 'compares' : 'alone'}</Badge>}
      <PermissionBadge permission={spec.permission ?? 'safe'} />
      {!enabled && <Badge tone="warn">disabled</Badge>}
      {deprecated !== undefined && <Badge tone="warn">deprecated</Badge>}
    </div>
  </li>
);

const Missing = ({ metrics }: { readonly metrics: readonly IqaTool[] }) => {
  const missing = metrics.filter(({ available }) => !available);
  if (missing.length === 0) return null;
  return (
    <details class="card">
      <summary>{plural(missing.length, 'more image metric')} once their model file is added</summary>
      <p class="small">
        Learned metrics come without weights. Add one with{' '}
        <code>npx assay models add &lt;name&gt; &lt;file.onnx&gt;</code>.
      </p>
      <p class="missing mono">{missing.map(({ name }) => name).join('  ')}</p>
    </details>
  );
};
