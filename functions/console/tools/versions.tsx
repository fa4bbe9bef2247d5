import type { JsonObject, Registration, Version } from '../answers.ts';
import { useClient } from '../context.ts';
import { showTime } from '../format.ts';
import { Notice } from '../ui/notice.tsx';
import { Badge, Button, Skeleton } from '../ui/parts.tsx';
import { useAction, useLoad } from '../use-load.ts';
import { useState } from '../use-state.ts';
import { compareDefinitions } from './compare-definitions.ts';

interface Props {
  readonly tool: Registration;
  onChanged(): void;
}

/** All versions with the changes from the one before; the default can be set here. */
export const Versions = ({ tool, onChanged }: Props) => {
  const client = useClient();
  const { name } = tool.spec;
  const load = useLoad(() => client.versions(name), [name, tool.versions.length]);
  const change = useAction(async (act: () => Promise<unknown>) => {
    await act();
    load.reload();
    onChanged();
  });
  const versions = (load.value?.versions ?? []).toReversed();
  return (
    <section class="card" aria-labelledby="versions">
      <h2 id="versions">Versions</h2>
      <Notice fault={load.fault ?? change.fault} onRetry={load.reload} />
      {!load.value && !load.fault && <Skeleton rows={2} />}
      <ul class="entries">
        {versions.map((each, index) => (
          <VersionRow
            key={each.version}
            each={each}
            before={versions[index + 1]}
            isDefault={each.version === load.value?.default_version}
            isShipped={tool.created_at === undefined}
            isBusy={change.isBusy}
            onDefault={() => void change.run(() => client.changeTool(name, { default_version: each.version }))}
            onDeprecate={() =>
              void change.run(() =>
                client.changeTool(name, { version: each.version, deprecated: each.deprecated === undefined }),
              )
            }
          />
        ))}
      </ul>
    </section>
  );
};

interface RowProps {
  readonly each: Version;
  readonly before: Version | undefined;
  readonly isDefault: boolean;
  readonly isShipped: boolean;
  readonly isBusy: boolean;
  onDefault(): void;
  onDeprecate(): void;
}

const VersionRow = ({ each, before, isDefault, isShipped, isBusy, onDefault, onDeprecate }: RowProps) => {
  const [isOpen, setOpen] = useState(false);
  const changes = before ? compareDefinitions(before.spec as JsonObject, each.spec as JsonObject) : [];
  const breaking = changes.filter(({ isBreaking }) => isBreaking).length;
  return (
    <li class="entry">
      <div class="row between">
        <div class="row">
          <strong class="mono">{each.version}</strong>
          {isDefault && <Badge tone="good">default</Badge>}
          {each.deprecated !== undefined && <Badge tone="warn">deprecated</Badge>}
          {breaking > 0 && <Badge tone="bad">breaking</Badge>}
          <span class="small muted">{each.created_at === undefined ? 'shipped' : showTime(each.created_at)}</span>
        </div>
        {!isShipped && (
          <div class="row">
            {!isDefault && (
              <Button kind="quiet" label={`Make ${each.version} the default`} isBusy={isBusy} onClick={onDefault}>
                Make default
              </Button>
            )}
            <Button
              kind="quiet"
              label={`${each.deprecated === undefined ? 'Deprecate' : 'Restore'} ${each.version}`}
              isBusy={isBusy}
              onClick={onDeprecate}
            >
              {each.deprecated === undefined ? 'Deprecate' : 'Restore'}
            </Button>
          </div>
        )}
      </div>
      {before && (
        <details open={isOpen} onToggle={(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
          <summary class="small">
            {changes.length} {changes.length === 1 ? 'change' : 'changes'} since {before.version}
            {breaking > 0 ? `, ${breaking} breaking` : ''}
          </summary>
          <ul class="changes">
            {changes.map(({ path, what, isBreaking }) => (
              <li key={`${path} ${what}`} class={isBreaking ? 'danger-text' : ''}>
                <code>{path}</code> {what}
                {isBreaking && <span class="tiny"> (breaking)</span>}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
};
