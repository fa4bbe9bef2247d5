import type { KeyView } from '../answers.ts';
import { useClient } from '../context.ts';
import { plural, showMoney, showTime } from '../format.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { Badge, Button, Meter } from '../ui/parts.tsx';
import { useAction } from '../use-load.ts';
import { useState } from '../use-state.ts';

/** A key with its usage. A key that only appears in the usage has no more than its id. */
export interface KeyUse {
  readonly id: string;
  readonly found: KeyView | undefined;
  readonly calls: number;
  readonly micros: number;
}

interface Props extends KeyUse {
  onRevoked(): void;
}

export const KeyRow = ({ id, found, calls, micros, onRevoked }: Props) => {
  const [isAsking, setAsking] = useState(false);
  const { quota = {}, scopes = [], tools = [], name = id } = found ?? {};
  const ended = endOf(found);
  return (
    <li class="entry">
      <div class="row between">
        <div class="row">
          <strong>{name}</strong>
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
          {ended && <Badge tone="bad">{ended}</Badge>}
        </div>
        <div class="row">
          <span class="number small">
            {plural(calls, 'call')}, {showMoney(micros)}
          </span>
          {found && ended !== 'revoked' && (
            <Button kind="quiet" label={`Revoke ${name}`} onClick={() => setAsking(true)}>
              Revoke
            </Button>
          )}
        </div>
      </div>
      {quota.calls !== undefined && (
        <Quota used={calls} most={quota.calls} text={`${calls} of ${plural(quota.calls, 'call')}`} />
      )}
      {quota.micros !== undefined && (
        <Quota used={micros} most={quota.micros} text={`${showMoney(micros)} of ${showMoney(quota.micros)}`} />
      )}
      <p class="tiny muted">
        {[
          id,
          ...(tools.length === 0 ? [] : [`only ${tools.join(', ')}`]),
          ...(found === undefined ? [] : [`made ${showTime(found.created_at)}`]),
          ...(found?.rate === undefined
            ? []
            : [`at most ${found.rate.per_second} a second, ${found.rate.burst} at once`]),
          ...(found?.expires_at === undefined ? [] : [`good until ${showTime(found.expires_at)}`]),
        ].join(' · ')}
      </p>
      {isAsking && found && <RevokeDialog found={found} onRevoked={onRevoked} onClose={() => setAsking(false)} />}
    </li>
  );
};

const endOf = (found: KeyView | undefined): string | undefined => {
  if (found?.revoked_at !== undefined) return 'revoked';
  return found?.expires_at !== undefined && Date.parse(found.expires_at) < Date.now() ? 'expired' : undefined;
};

interface RevokeProps {
  readonly found: KeyView;
  onRevoked(): void;
  onClose(): void;
}

const RevokeDialog = ({ found, onRevoked, onClose }: RevokeProps) => {
  const client = useClient();
  const revoke = useAction(async () => {
    await client.revokeKey(found.id);
    onClose();
    onRevoked();
  });
  return (
    <Dialog title={`Revoke ${found.name ?? found.id}?`} onClose={onClose}>
      <p>Whoever uses it is refused within a minute. This cannot be undone; what it used stays on record.</p>
      <Notice fault={revoke.fault} onRetry={() => void revoke.run()} />
      <div class="row">
        <Button kind="danger" isBusy={revoke.isBusy} onClick={() => void revoke.run()}>
          Revoke the key
        </Button>
        <Button onClick={onClose}>Keep it</Button>
      </div>
    </Dialog>
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
