import type { ModelCall, ModelResult } from '../answers.ts';
import { useClient } from '../context.ts';
import { showJson } from '../format.ts';
import { exampleArguments } from '../schema/example-arguments.ts';
import { Notice } from '../ui/notice.tsx';
import { Button, Code, CopyButton, Field } from '../ui/parts.tsx';
import { useKept } from '../use-kept.ts';
import { useAction } from '../use-load.ts';
import { useState } from '../use-state.ts';
import { CallToRun } from './call-to-run.tsx';
import { PROVIDER_REQUESTS } from './provider-request.ts';

interface Props {
  readonly provider: string;
  /** The tool that the example calls. */
  readonly first: string | undefined;
}

/** A model's response: its calls, their results, and the messages to send back. */
export const ModelAnswer = ({ provider, first }: Props) => {
  const client = useClient();
  const [text, setText] = useKept(`playground.answer.${provider}`, '');
  const [calls, setCalls] = useState<readonly ModelCall[] | undefined>(undefined);
  const [results, setResults] = useState<readonly ModelResult[]>([]);
  const [messages, setMessages] = useState<unknown>(undefined);
  const read = useAction(async (given: string) => {
    setCalls(undefined);
    setResults([]);
    setMessages(undefined);
    setCalls((await client.readCalls(provider, given)).calls as readonly ModelCall[]);
  });
  const example = useAction(async () => {
    if (first === undefined) return;
    const args = exampleArguments((await client.tool(first)).spec.parameters);
    const shown = JSON.stringify(PROVIDER_REQUESTS[provider]?.answer(first, args), null, 2);
    setText(shown);
    await read.run(shown);
  });
  const format = useAction(async (done: readonly ModelResult[]) =>
    setMessages(await client.formatResults(provider, done)),
  );
  const finish = (result: ModelResult): void => {
    const done = [...results.filter(({ id }) => id !== result.id), result];
    setResults(done);
    void format.run(done);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    void read.run(text);
  };
  return (
    <section class="card" aria-labelledby="answer">
      <h2 id="answer">What the model answered</h2>
      <form class="stack" onSubmit={submit}>
        <Field label="The response as JSON, or its stream as it came">
          <textarea
            class="mono"
            rows={8}
            spellcheck={false}
            value={text}
            onInput={(event: Event) => setText((event.target as HTMLTextAreaElement).value)}
          />
        </Field>
        <div class="row">
          <Button kind="primary" type="submit" disabled={text.trim() === ''} isBusy={read.isBusy}>
            Read the calls
          </Button>
          <Button disabled={first === undefined} isBusy={example.isBusy} onClick={() => void example.run()}>
            Fill in an example
          </Button>
        </div>
      </form>
      <Notice fault={read.fault ?? example.fault ?? format.fault} />
      {calls?.length === 0 && <p class="muted">It asks for no call.</p>}
      <ul class="entries">
        {calls?.map((call, index) => (
          <CallToRun key={`${index} ${String(call.id)}`} call={call} onResult={finish} />
        ))}
      </ul>
      {messages !== undefined && (
        <>
          <div class="row between">
            <h3>To send back</h3>
            <CopyButton text={JSON.stringify(messages, null, 2)} />
          </div>
          <Code text={showJson(messages)} label="Messages to send back" />
        </>
      )}
    </section>
  );
};
