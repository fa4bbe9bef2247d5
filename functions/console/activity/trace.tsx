import type { Span, Trace } from '../answers.ts';
import { useClient } from '../context.ts';
import { showMs } from '../format.ts';
import { Notice } from '../ui/notice.tsx';
import { Button, Scroll } from '../ui/parts.tsx';
import { useAction } from '../use-load.ts';
import { useState } from '../use-state.ts';

/** The timeline of a call: request, layers, handler, table and nodes. */
export const CallTrace = ({ call }: { readonly call: string }) => {
  const client = useClient();
  const [trace, setTrace] = useState<Trace | undefined>(undefined);
  const load = useAction(async () => setTrace(await client.trace(call)));
  return (
    <div class="stack">
      {!trace && (
        <div class="row">
          <Button isBusy={load.isBusy} onClick={() => void load.run()}>
            Where the time went
          </Button>
        </div>
      )}
      <Notice fault={load.fault} onRetry={() => void load.run()} />
      {trace && <Timeline trace={trace} />}
    </div>
  );
};

const Timeline = ({ trace }: { readonly trace: Trace }) => {
  const rows = trace.spans.flatMap((span) => flatten(span, 0));
  if (rows.length === 0)
    return (
      <p class="small muted">
        {trace.trace_id === undefined ? 'This call left no trace.' : `Its trace ${trace.trace_id} is not kept here.`}
      </p>
    );
  const length = Math.max(0.001, ...rows.map(({ span }) => span.start_ms + span.duration_ms));
  return (
    <Scroll label="Timeline of the call">
      <ol class="spans">
        {rows.map(({ span, depth }) => (
          <li key={span.span_id} class="span-row">
            <span class="small span-name" style={{ paddingLeft: `${depth * 14}px` }} title={attributesOf(span)}>
              {span.name}
              {span.error !== undefined && <span class="danger-text"> {span.error}</span>}
            </span>
            <span class="timeline">
              <span
                class={span.error === undefined ? 'timeline-bar' : 'timeline-bar failed'}
                style={{
                  left: `${(span.start_ms / length) * 98}%`,
                  width: `max(3px, ${(span.duration_ms / length) * 98}%)`,
                }}
              />
            </span>
            <span class="tiny number">{showMs(span.duration_ms)}</span>
          </li>
        ))}
      </ol>
    </Scroll>
  );
};

interface Row {
  readonly span: Span;
  readonly depth: number;
}

const flatten = (span: Span, depth: number): readonly Row[] => [
  { span, depth },
  ...span.children.flatMap((child) => flatten(child, depth + 1)),
];

const attributesOf = ({ attributes }: Span): string =>
  Object.entries(attributes)
    .map(([name, value]) => `${name} = ${String(value)}`)
    .join('\n');
