import { CONNECT_CLIENTS, type ConnectClient } from '../../../shared/connect/clients.ts';
import { connectLines } from '../../../shared/connect/connect-lines.ts';
import type { Execution } from '../answers.ts';
import { useClient } from '../context.ts';
import { showMs, showTime } from '../format.ts';
import { Notice } from '../ui/notice.tsx';
import { Badge, Button, Code, CopyButton, Tabs } from '../ui/parts.tsx';
import { useKept } from '../use-kept.ts';
import { useAction } from '../use-load.ts';
import { useState } from '../use-state.ts';

/** A key created for a client. */
interface ClientKey {
  readonly id: string;
  readonly key: string;
}

const CLIENTS = Object.entries(CONNECT_CLIENTS) as readonly (readonly [ConnectClient, string])[];

/** The configuration that connects a client to this server, and whether the client has called yet. */
export const ConnectPage = () => {
  const client = useClient();
  const [name, setName] = useKept<ConnectClient>('connect.client', 'claude-code');
  const [made, setMade] = useState<Readonly<Partial<Record<ConnectClient, ClientKey>>>>({});
  const make = useAction(async () => {
    const { id, key } = await client.makeKey({ name, scopes: ['read', 'invoke'] });
    setMade((before) => ({ ...before, [name]: { id, key } }));
  });
  const own = made[name];
  const guide = connectLines(name, { url: location.origin, key: own?.key ?? 'YOUR_KEY' });
  return (
    <div class="page">
      <div class="page-head">
        <h1>Connect</h1>
        <p class="lead">The lines that connect a client to this server, with its address and a key in place.</p>
      </div>
      <Tabs<ConnectClient>
        label="Client"
        choices={CLIENTS.map(([value, label]) => ({ value, label }))}
        chosen={name}
        onChoose={setName}
      />
      <div class="columns">
        <section class="card" aria-label={`How to connect ${guide.title}`}>
          <h2>{guide.title}</h2>
          {own ? (
            <p class="caution">
              The key in these lines may read and invoke. Its text is nowhere else: copy the lines now.
            </p>
          ) : (
            <>
              <p class="small muted">
                Put a key in the place of YOUR_KEY, or have one made that may read and invoke. Its calls are counted
                apart, and it can be revoked under Admin.
              </p>
              <div class="row">
                <Button kind="primary" isBusy={make.isBusy} onClick={() => void make.run()}>
                  Make a key for {guide.title}
                </Button>
              </div>
            </>
          )}
          <Notice fault={make.fault} />
          {guide.steps.map(({ about, file, text }) => (
            <div key={about} class="stack">
              <div class="row between">
                <p class="small">
                  {file !== undefined && <code>{file}</code>} {about}
                </p>
                <CopyButton text={text} />
              </div>
              <Code text={text} label={file ?? about} />
            </div>
          ))}
          {guide.note !== undefined && <p class="caution warn">{guide.note}</p>}
        </section>
        <LastCall key={own?.id ?? ''} keyId={own?.id} title={guide.title} />
      </div>
    </div>
  );
};

interface LastCallProps {
  readonly keyId: string | undefined;
  readonly title: string;
}

/** The client's latest call; of any key until the client has its own. */
const LastCall = ({ keyId, title }: LastCallProps) => {
  const client = useClient();
  const [last, setLast] = useState<Execution | 'none' | undefined>(undefined);
  const look = useAction(async () =>
    setLast((await client.executions({ key: keyId ?? '', limit: '1' })).executions[0] ?? 'none'),
  );
  return (
    <section class="card" aria-labelledby="last-call">
      <h2 id="last-call">Has it arrived?</h2>
      <p class="small muted">
        {keyId === undefined
          ? `Have ${title} call a tool, then look: this shows the last call that any key made.`
          : `Have ${title} call a tool, then look: this shows the last call that its key made.`}
      </p>
      <div class="row">
        <Button isBusy={look.isBusy} onClick={() => void look.run()}>
          Show the last call received
        </Button>
      </div>
      <Notice fault={look.fault} onRetry={() => void look.run()} />
      <div aria-live="polite">
        {last === 'none' && <p class="caution warn">No call yet. Listing tools is no call; have it run one.</p>}
        {last !== undefined && last !== 'none' && (
          <p>
            <code>{last.tool}</code> <Badge tone={last.status === 'ok' ? 'good' : 'bad'}>{last.status}</Badge>{' '}
            <span class="small muted">
              {showTime(last.at)}, {showMs(last.duration_ms)}, by the key {last.key}
            </span>
          </p>
        )}
      </div>
    </section>
  );
};
