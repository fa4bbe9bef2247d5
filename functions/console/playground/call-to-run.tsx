import type { ModelCall, ModelResult, Outcome } from '../answers.ts';
import { useClient } from '../context.ts';
import { showJson } from '../format.ts';
import { ConsentDialog, type Question, readQuestion } from '../schema/consent-dialog.tsx';
import { OutcomeView } from '../schema/outcome-view.tsx';
import { Notice } from '../ui/notice.tsx';
import { Badge, Button, Code } from '../ui/parts.tsx';
import { useAction } from '../use-load.ts';
import { useState } from '../use-state.ts';

interface Props {
  readonly call: ModelCall;
  onResult(result: ModelResult): void;
}

/** A call of the model, which runs only when the user clicks. */
export const CallToRun = ({ call, onResult }: Props) => {
  const client = useClient();
  const { id, name, arguments: args = {}, error } = call;
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined);
  const [question, setQuestion] = useState<Question | undefined>(undefined);
  const run = useAction(async (token?: string) => {
    try {
      const made = await client.invoke(name, args, token);
      setQuestion(undefined);
      setOutcome(made);
      onResult({ id, name, ...(made.error ? { error: made.error } : { output: made.output }) });
    } catch (thrown) {
      const asked = readQuestion(thrown, args);
      if (!asked) throw thrown;
      setQuestion(asked);
    }
  });
  return (
    <li class="entry">
      <div class="row between">
        <div class="row">
          <code>{name}</code>
          {error !== undefined && <Badge tone="bad">must not run</Badge>}
        </div>
        <Button
          label={`Run it: ${name}`}
          disabled={error !== undefined}
          isBusy={run.isBusy}
          onClick={() => void run.run()}
        >
          Run it
        </Button>
      </div>
      {error !== undefined && <p class="small danger-text">{typeof error === 'string' ? error : error.message}</p>}
      <Code text={showJson(args)} label={`Arguments of ${name}`} />
      <Notice fault={run.fault} />
      {outcome && <OutcomeView outcome={outcome} />}
      {question && (
        <ConsentDialog
          tool={name}
          question={question}
          onApproved={() => void run.run(question.token)}
          onClose={() => setQuestion(undefined)}
        />
      )}
    </li>
  );
};
