import type { JsonObject, Outcome, Registration } from '../answers.ts';
import { useClient } from '../context.ts';
import type { ApiFault } from '../fault.ts';
import { Notice } from '../ui/notice.tsx';
import { Button } from '../ui/parts.tsx';
import { useKept } from '../use-kept.ts';
import { useAction } from '../use-load.ts';
import { useState } from '../use-state.ts';
import { ConsentDialog, type Question, readQuestion } from './consent-dialog.tsx';
import { type FormDraft, fillDraft, issuesByParameter, listParameters, readArguments } from './draft.ts';
import { OutcomeView } from './outcome-view.tsx';
import { SchemaForm } from './schema-form.tsx';

interface Props {
  readonly tool: Registration;
  readonly initial?: JsonObject;
  readonly onRan?: () => void;
  /** Questions about parameters, to be answered before the run. */
  readonly questions?: ReadonlyMap<string, string>;
}

/** Runs a tool: its form (kept over a reload), the approval dialog where needed, and the result. */
export const RunForm = ({ tool, initial = {}, onRan, questions }: Props) => {
  const client = useClient();
  const { name, parameters: schema, permission = 'safe' } = tool.spec;
  const parameters = listParameters(schema as JsonObject);
  const [draft, setDraft] = useKept<FormDraft>(
    `form.${name}.${JSON.stringify(initial)}`,
    fillDraft(parameters, initial),
  );
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined);
  const [question, setQuestion] = useState<Question | undefined>(undefined);

  const run = useAction(async (token?: string) => {
    const args = readArguments(parameters, draft);
    setOutcome(undefined);
    try {
      setOutcome(await client.invoke(name, args, token));
      setQuestion(undefined);
      onRan?.();
    } catch (thrown) {
      const asked = readQuestion(thrown, args);
      if (!asked) throw thrown;
      setQuestion(asked);
    }
  });
  const submit = (event: Event): void => {
    event.preventDefault();
    void run.run();
  };
  return (
    <form class="stack" novalidate onSubmit={submit}>
      {permission === 'dangerous' && (
        <p class="caution bad">
          Dangerous: it runs only for keys that an admin has granted it to, until the grant ends.
        </p>
      )}
      {permission === 'confirm' && <p class="caution warn">It asks a person before each call.</p>}
      {parameters.length === 0 && <p class="muted">It takes no arguments.</p>}
      <SchemaForm
        parameters={parameters}
        draft={draft}
        issues={issuesByParameter(run.fault)}
        questions={questions}
        onChange={setDraft}
      />
      <div class="row">
        <Button kind="primary" type="submit" isBusy={run.isBusy}>
          Run {name}
        </Button>
      </div>
      {isRefusal(run.fault) ? <Refusal fault={run.fault} /> : <Notice fault={run.fault} />}
      {outcome && <OutcomeView outcome={outcome} />}
      {question && (
        <ConsentDialog
          tool={name}
          question={question}
          onApproved={() => void run.run(question.token)}
          onClose={() => setQuestion(undefined)}
        />
      )}
    </form>
  );
};

const isRefusal = (fault: ApiFault | undefined): fault is ApiFault => fault?.details.permission === 'dangerous';

const Refusal = ({ fault }: { readonly fault: ApiFault }) => (
  <div class="notice" role="alert">
    <p class="notice-title">Refused: this tool is dangerous</p>
    <p>{fault.message}.</p>
    <p>
      Nothing was run. An admin grants it with{' '}
      <code>
        npx assay grants add {String(fault.details.key_id)} {String(fault.details.tool)} --expires …
      </code>
      .
    </p>
  </div>
);
