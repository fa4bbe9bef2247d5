import type { Registration } from '../answers.ts';
import { useClient } from '../context.ts';
import { goTo } from '../route.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { Button } from '../ui/parts.tsx';
import { useAction } from '../use-load.ts';
import { useState } from '../use-state.ts';

interface Props {
  readonly tool: Registration;
  onChanged(): void;
}

/** Disables, enables, deprecates or removes a tool, or starts a new version. */
export const Manage = ({ tool, onChanged }: Props) => {
  const client = useClient();
  const [isAsking, setAsking] = useState(false);
  const { name } = tool.spec;
  const change = useAction(async () => {
    await client.changeTool(name, { enabled: !tool.enabled });
    onChanged();
  });
  const isShipped = tool.created_at === undefined;
  return (
    <section class="card" aria-labelledby="manage">
      <h2 id="manage">Manage</h2>
      <div class="row">
        <Button isBusy={change.isBusy} onClick={() => void change.run()}>
          {tool.enabled ? 'Disable' : 'Enable'}
        </Button>
        {!isShipped && (
          <>
            <a class="button plain" href={`#/tools/+${name}`}>
              New version
            </a>
            <Button kind="danger" onClick={() => setAsking(true)}>
              Remove
            </Button>
          </>
        )}
      </div>
      <p class="small muted">
        {isShipped
          ? 'Shipped with the product: it can be taken out of use, not changed or removed.'
          : 'A disabled tool stays registered; lists and calls leave it out.'}
      </p>
      <Notice fault={change.fault} onRetry={() => void change.run()} />
      {isAsking && <RemoveDialog name={name} onClose={() => setAsking(false)} />}
    </section>
  );
};

const RemoveDialog = ({ name, onClose }: { readonly name: string; onClose(): void }) => {
  const client = useClient();
  const remove = useAction(async () => {
    await client.removeTool(name);
    onClose();
    goTo('tools');
  });
  return (
    <Dialog title={`Remove ${name}?`} onClose={onClose}>
      <p>All its versions go, and agents that call it are refused. What it did stays on record.</p>
      <Notice fault={remove.fault} onRetry={() => void remove.run()} />
      <div class="row">
        <Button kind="danger" isBusy={remove.isBusy} onClick={() => void remove.run()}>
          Remove the tool
        </Button>
        <Button onClick={onClose}>Keep it</Button>
      </div>
    </Dialog>
  );
};
