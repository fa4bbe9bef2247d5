import type { JsonObject } from '../answers.ts';
import { useClient } from '../context.ts';
import { apiFault } from '../fault.ts';
import { showJson, showTime } from '../format.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { Button, Code } from '../ui/parts.tsx';
import { useAction } from '../use-load.ts';
import { tellAnswered } from '../use-waiting.ts';

/** A call that waits for approval. */
export interface Question {
  readonly id: string;
  readonly token: string;
  readonly expires: string;
  readonly args: JsonObject;
}

export const readQuestion = (thrown: unknown, args: JsonObject): Question | undefined => {
  const { code, details } = apiFault(thrown);
  if (code !== 'ConfirmationRequired') return undefined;
  const asked = details.confirmation as { readonly id: string; readonly token: string; readonly expires_at: string };
  return { id: asked.id, token: asked.token, expires: asked.expires_at, args };
};

interface Props {
  readonly tool: string;
  readonly question: Question;
  onApproved(): void;
  onClose(): void;
}

/** Shows exactly what would run. A key without the scope to approve can wait for another person's approval. */
export const ConsentDialog = ({ tool, question, onApproved, onClose }: Props) => {
  const client = useClient();
  const decide = useAction(async (approve: boolean) => {
    await client.confirm(question.id, approve);
    tellAnswered();
    if (approve) onApproved();
    else onClose();
  });
  return (
    <Dialog title={`Run ${tool}?`} onClose={onClose}>
      <p>This tool needs your consent. It will run once, with exactly these arguments:</p>
      <Code text={showJson(question.args)} label="Arguments" />
      <p class="small muted">The question expires at {showTime(question.expires)}.</p>
      <Notice fault={decide.fault} />
      <div class="row">
        <Button kind="primary" isBusy={decide.isBusy} onClick={() => void decide.run(true)}>
          Approve and run
        </Button>
        <Button kind="danger" disabled={decide.isBusy} onClick={() => void decide.run(false)}>
          Deny
        </Button>
        {decide.fault && <Button onClick={onApproved}>It was approved elsewhere: run</Button>}
      </div>
    </Dialog>
  );
};
