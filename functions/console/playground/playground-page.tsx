import { useClient } from '../context.ts';
import { plural } from '../format.ts';
import { ToolPicker } from '../tools/tool-picker.tsx';
import { Notice } from '../ui/notice.tsx';
import { Code, CopyButton, Field, Skeleton, Tabs } from '../ui/parts.tsx';
import { useKept } from '../use-kept.ts';
import { useLoad } from '../use-load.ts';
import { ModelAnswer } from './model-answer.tsx';
import { PROVIDER_REQUESTS } from './provider-request.ts';
import { LANGUAGES, type Language, writeRequest } from './snippets.ts';

/** Shows the request for a provider with some tools, and handles the model's response. */
export const PlaygroundPage = () => {
  const [tools, setTools] = useKept<readonly string[]>('playground.tools', ['text_stats', 'unit_convert']);
  const [provider, setProvider] = useKept('playground.provider', 'openai');
  const [text, setText] = useKept('playground.text', 'How many words has "one two three"?');
  return (
    <div class="page">
      <div class="page-head">
        <h1>Playground</h1>
        <p class="lead">
          Choose tools and a provider, see the request as that provider wants it, paste what its model answered, and run
          the calls. Nothing is sent to the provider from here.
        </p>
      </div>
      <section class="card" aria-label="What is asked">
        <Providers chosen={provider} onChoose={setProvider} />
        <ToolPicker hint="Ticked ones go into the request." chosen={tools} onChoose={setTools} />
        <Field label="What the user says">
          <textarea
            rows={2}
            value={text}
            onInput={(event: Event) => setText((event.target as HTMLTextAreaElement).value)}
          />
        </Field>
      </section>
      <div class="columns">
        <Request provider={provider} tools={tools} text={text} />
        <ModelAnswer key={provider} provider={provider} first={tools[0]} />
      </div>
    </div>
  );
};

interface ProvidersProps {
  readonly chosen: string;
  onChoose(provider: string): void;
}

const Providers = ({ chosen, onChoose }: ProvidersProps) => {
  const client = useClient();
  const load = useLoad(() => client.providers(), []);
  const names = load.value?.providers ?? [chosen];
  return (
    <div class="group">
      <Notice fault={load.fault} onRetry={load.reload} />
      <Tabs
        label="Provider"
        choices={names.map((value) => ({ value, label: value }))}
        chosen={chosen}
        onChoose={onChoose}
      />
    </div>
  );
};

interface RequestProps {
  readonly provider: string;
  readonly tools: readonly string[];
  readonly text: string;
}

const Request = ({ provider, tools, text }: RequestProps) => {
  const client = useClient();
  const [language, setLanguage] = useKept<Language>('playground.language', 'JSON');
  const names = tools.join(',');
  const load = useLoad(async () => (names === '' ? undefined : client.definition(provider, names)), [provider, names]);
  const shape = PROVIDER_REQUESTS[provider];
  const written = shape && load.value ? writeRequest(language, shape, shape.body(text, load.value.tools)) : '';
  return (
    <section class="card" aria-labelledby="request">
      <div class="row between">
        <h2 id="request">{provider === 'mcp' ? 'The list a client gets' : 'The request'}</h2>
        <div class="row">
          {load.value && <span class="small muted">tools: about {plural(load.value.tokens, 'token')}</span>}
          <CopyButton text={written} />
        </div>
      </div>
      <Tabs<Language>
        label="Copy as"
        choices={LANGUAGES.map((value) => ({ value, label: value }))}
        chosen={language}
        onChoose={setLanguage}
      />
      <Notice fault={load.fault} onRetry={load.reload} />
      {names === '' && <p class="muted">Tick at least one tool.</p>}
      {names !== '' && !load.value && !load.fault && <Skeleton rows={6} />}
      {written !== '' && <Code text={written} label={`Request to ${provider}`} />}
      {load.value?.warnings.map(({ message }) => (
        <p key={message} class="small warn-text">
          {message}
        </p>
      ))}
    </section>
  );
};
