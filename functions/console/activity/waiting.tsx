import { useClient } from '../context.ts';
import { showJson, showTime } from '../format.ts';
import { Notice } from '../ui/notice.tsx';
import { Panel } from '../ui/panel.tsx';
import { Button, Code, Empty } from '../ui/parts.tsx';
import { useKeyNames } from '../use-key-names.ts';
import { useAction, useLoad } from '../use-load.ts';
import { useState } from '../use-state.ts';
import { tellAnswered, useWaiting } from '../use-waiting.ts';

/** Calls and nodes of runs that wait for a person's approval; read again when their number changes. */
export const Waiting = () => {
  const client = useClient();
  const { nameOf } = useKeyNames();
  const count = useWaiting('waiting');
  const load = useLoad(async () => {
    const [{ confirmations }, { runs }] = await Promise.all([
      client.confirmations(),
      client.runs({ status: 'waiting', limit: '100' }),
    ]);
    return { confirmations, runs };
  }, [count]);
  const finish = (): void => {
    load.reload();
    tellAnswered();
  };
  const decide = useAction(async (id: string, approve: boolean) => {
    await client.confirm(id, approve);
    finish();
  });
  const answer = useAction(async (run: string, node: string, approve: boolean) => {
    await client.confirmNode(run, node, approve);
    finish();
  });
  const nodes = (load.value?.runs ?? []).flatMap(({ run_id: run, nodes: all }) =>
    all.filter(({ status }) => status === 'waiting_approval').map((node) => ({ run, ...node })),
  );
  const pending = (load.value?.confirmations ?? []).filter(({ state }) => state === 'pending');
  return (
    <Panel
      title="Waiting for approval"
      about="A call waits ten minutes for an answer, a run until the time it shows."
      load={load}
    >
      <Notice fault={decide.fault ?? answer.fault} />
      {pending.length + nodes.length === 0 && (
        <Empty title="Nothing waits">When a call needs a person’s consent, it is asked for here.</Empty>
      )}
      <ul class="entries">
        {pending.map(({ id, tool, version, key, arguments: args, hidden, expires_at }, index) => (
          <li key={id} class="entry">
            <div class="row between">
              <p>
                <code>{tool}</code>{' '}
                <span class="small muted">
                  {version}, asked by the key {nameOf(key)}
                </span>
              </p>
              <span class="small muted">until {showTime(expires_at)}</span>
            </div>
            <AskedArguments
              id={id}
              label={`Arguments of ${tool}, question ${index + 1}`}
              shown={args}
              hidden={hidden}
            />
            <div class="row">
              <Button
                kind="primary"
                label={`Approve ${tool}`}
                disabled={decide.isBusy}
                onClick={() => void decide.run(id, true)}
              >
                Approve
              </Button>
              <Button
                kind="danger"
                label={`Deny ${tool}`}
                disabled={decide.isBusy}
                onClick={() => void decide.run(id, false)}
              >
                Deny
              </Button>
            </div>
          </li>
        ))}
        {nodes.map(({ run, id, tool, version, approval }, index) => (
          <li key={`${run}/${id}`} class="entry">
            <div class="row between">
              <p>
                <code>{tool}</code>{' '}
                <span class="small muted">
                  {version}, node {id} of <a href={`#/plans/${run}`}>a run</a>
                </span>
              </p>
              {approval && <span class="small muted">until {showTime(approval.expires_at)}</span>}
            </div>
            {approval?.arguments !== undefined && (
              <Code
                text={showJson(approval.arguments)}
                label={`Arguments of ${tool}, question ${pending.length + index + 1}`}
              />
            )}
            <div class="row">
              <Button
                kind="primary"
                label={`Approve ${tool}`}
                disabled={answer.isBusy}
                onClick={() => void answer.run(run, id, true)}
              >
                Approve
              </Button>
              <Button
                kind="danger"
                label={`Deny ${tool}`}
                disabled={answer.isBusy}
                onClick={() => void answer.run(run, id, false)}
              >
                Deny
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
};

interface AskedProps {
  readonly id: string;
  readonly label: string;
  readonly shown: unknown;
  readonly hidden?: { readonly cut: number; readonly redacted: number; readonly bytes: number } | undefined;
}

/** The arguments to approve. Values that are shortened or redacted are counted and can be shown. */
const AskedArguments = ({ id, label, shown, hidden }: AskedProps) => {
  const client = useClient();
  const [whole, setWhole] = useState<unknown>(undefined);
  const reveal = useAction(async () => setWhole((await client.confirmation(id)).arguments));
  return (
    <div class="group">
      <Code text={showJson(whole ?? shown)} label={label} />
      <Notice fault={reveal.fault} />
      {hidden && whole === undefined && (
        <p class="small">
          Not all is shown: {hidden.cut} cut, {hidden.redacted} redacted, {hidden.bytes} bytes in all.{' '}
          <Button disabled={reveal.isBusy} onClick={() => void reveal.run()}>
            Show everything
          </Button>
        </p>
      )}
    </div>
  );
};
