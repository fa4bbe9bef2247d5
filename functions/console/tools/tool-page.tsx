import type { JsonObject, Registration, Stats } from '../answers.ts';
import { useClient } from '../context.ts';
import { showMoney, showMs, showPercent, showTime } from '../format.ts';
import { listParameters } from '../schema/draft.ts';
import { exampleArguments } from '../schema/example-arguments.ts';
import { RunForm } from '../schema/run-form.tsx';
import { Notice } from '../ui/notice.tsx';
import { Badge, Skeleton } from '../ui/parts.tsx';
import { useLoad } from '../use-load.ts';
import { Definition } from './definition.tsx';
import { Manage } from './manage.tsx';
import { ParameterTable } from './parameter-table.tsx';
import { PermissionBadge } from './permission-badge.tsx';
import { Versions } from './versions.tsx';

/** One tool: description, parameters, statistics, definitions for models, and a form to run it. */
export const ToolPage = ({ name }: { readonly name: string }) => {
  const client = useClient();
  const tool = useLoad(() => client.tool(name), [name]);
  const stats = useLoad(() => client.stats(name), [name]);
  const found = tool.value;
  return (
    <div class="page">
      <p>
        <a href="#/tools">All tools</a>
      </p>
      <Notice fault={tool.fault} onRetry={tool.reload} />
      {!found && !tool.fault && <Skeleton rows={6} />}
      {found && (
        <>
          <Head tool={found} />
          <StatsTiles stats={stats.value} />
          <Notice fault={stats.fault} onRetry={stats.reload} />
          <div class="columns">
            <div class="stack wide-gap">
              <section class="card" aria-labelledby="try">
                <h2 id="try">Try it</h2>
                <RunForm key={found.id} tool={found} onRan={stats.reload} />
              </section>
              <Facts tool={found} />
              <Manage tool={found} onChanged={tool.reload} />
            </div>
            <div class="stack wide-gap">
              <section class="card" aria-labelledby="parameters">
                <h2 id="parameters">Parameters</h2>
                <ParameterTable parameters={listParameters(found.spec.parameters as JsonObject)} />
              </section>
              <Definition tool={name} />
              <Versions tool={found} onChanged={tool.reload} />
            </div>
          </div>
        </>
      )}
    </div>
  );
};

const Head = ({ tool: { spec, enabled, deprecated } }: { readonly tool: Registration }) => (
  <div class="page-head">
    <div class="row">
      <h1 class="mono-title">{spec.name}</h1>
      <PermissionBadge permission={spec.permission ?? 'safe'} />
      {enabled ? <Badge tone="good">available</Badge> : <Badge tone="warn">disabled</Badge>}
      {deprecated !== undefined && <Badge tone="warn">deprecated</Badge>}
    </div>
    <p class="lead">{spec.description}</p>
    {typeof deprecated === 'string' && <p class="caution warn">{deprecated}</p>}
  </div>
);

const StatsTiles = ({ stats }: { readonly stats: Stats | undefined }) => (
  <dl class="tiles">
    <Tile name="Calls" value={stats ? String(stats.calls) : '–'} />
    <Tile name="Succeeded" value={showPercent(stats?.success_rate)} />
    <Tile name="Median time (p50)" value={showMs(stats?.p50_ms)} />
    <Tile name="95 % within (p95)" value={showMs(stats?.p95_ms)} />
    <Tile name="Refused" value={stats ? String(stats.refused) : '–'} />
  </dl>
);

export const Tile = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div class="tile">
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

/** The tool's own price, otherwise that of the server's price list. */
const usePrice = ({ spec }: Registration): string | undefined => {
  const client = useClient();
  const load = useLoad(
    async () => spec.price_micros ?? client.price(spec.name, exampleArguments(spec.parameters as JsonObject)),
    [spec.name, spec.price_micros],
  );
  if (load.value !== undefined) return `${showMoney(load.value)} a call`;
  return load.fault ? 'set by this server' : undefined;
};

const Facts = ({ tool }: { readonly tool: Registration }) => {
  const { spec, versions, default_version } = tool;
  const price = usePrice(tool);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Version', default_version],
    ['All versions', versions.join(', ')],
    ['Price', price],
    ['Permission', spec.permission ?? 'safe'],
    ['Time limit', spec.timeout_seconds === undefined ? undefined : showMs(spec.timeout_seconds * 1000)],
    ['Results kept', spec.cacheable ? 'yes, the same call is answered from the cache' : 'no'],
    ['Category', spec.category],
    ['Good at', spec.iqa?.strengths.join(', ')],
    ['Tags', spec.tags?.join(', ')],
    ['Registered', tool.created_at === undefined ? 'shipped with the product' : showTime(tool.created_at)],
  ];
  return (
    <section class="card" aria-labelledby="facts">
      <h2 id="facts">Facts</h2>
      <dl class="fact-list">
        {facts
          .filter(([, value]) => value !== undefined && value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      {spec.instructions !== undefined && <p class="small muted">{spec.instructions}</p>}
    </section>
  );
};
