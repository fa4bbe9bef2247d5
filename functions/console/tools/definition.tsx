import type { ExplainedDefinitions } from '../answers.ts';
import { useClient } from '../context.ts';
import { plural } from '../format.ts';
import { Notice } from '../ui/notice.tsx';
import { Code, CopyButton, Skeleton, Tabs } from '../ui/parts.tsx';
import { useLoad } from '../use-load.ts';
import { useState } from '../use-state.ts';

/** The tool's definition for each provider, with its token cost and what is lost. */
export const Definition = ({ tool }: { readonly tool: string }) => {
  const client = useClient();
  const [provider, setProvider] = useState('openai');
  const providers = useLoad(() => client.providers(), []);
  const defined = useLoad(() => client.definition(provider, tool), [provider, tool]);
  const strict = useLoad(() => client.definition(provider, tool, 'true'), [provider, tool]);
  const text = defined.value ? JSON.stringify(defined.value.tools, null, 2) : '';
  const choices = (providers.value?.providers ?? ['openai']).map((value) => ({ value, label: value }));
  return (
    <section class="card" aria-labelledby="definition">
      <div class="row between">
        <h2 id="definition">As a model sees it</h2>
        <div class="row">
          {defined.value && <span class="small muted">about {plural(defined.value.tokens, 'token')}</span>}
          <CopyButton text={text} />
        </div>
      </div>
      <Tabs label="Provider" choices={choices} chosen={provider} onChoose={setProvider} />
      <Notice fault={defined.fault ?? providers.fault} onRetry={defined.reload} />
      {defined.value ? <Code text={text} label={`Definition for ${provider}`} /> : <Skeleton rows={6} />}
      {strict.value && <Strictness defined={strict.value} />}
      {defined.value?.warnings.map(({ message }) => (
        <p key={message} class="small warn-text">
          {message}
        </p>
      ))}
    </section>
  );
};

/** What strict mode does with the tool. */
const Strictness = ({
  defined: { left_out: leftOut = [], strictness },
}: {
  readonly defined: ExplainedDefinitions;
}) => {
  const [first] = leftOut;
  if (first) return <p class="small warn-text">With strict this tool is left out: {first.reason}.</p>;
  if ((strictness?.plain ?? 0) > 0) return <p class="small muted">With strict this tool keeps its plain form.</p>;
  return null;
};
