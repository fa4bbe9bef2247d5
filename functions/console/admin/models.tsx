import type { IqaTool, Model } from '../answers.ts';
import { useClient } from '../context.ts';
import { showBytes, showRaw, showTime } from '../format.ts';
import { Notice } from '../ui/notice.tsx';
import { Panel } from '../ui/panel.tsx';
import { Badge, Button, Code, CopyButton, Empty, Field } from '../ui/parts.tsx';
import { useAction, useLoad } from '../use-load.ts';
import { useState } from '../use-state.ts';

/** Metrics that need a model file: which have one, and how to add the others. */
export const Models = () => {
  const client = useClient();
  const [text, setText] = useState('');
  const load = useLoad(async () => {
    const [{ models }, { tools }] = await Promise.all([client.models(), client.iqaTools()]);
    const added = new Map(models.map((model) => [model.tool, model]));
    const learned = tools.filter(({ name, available }) => !available || added.has(name));
    const entries = learned.map((tool) => ({ tool, model: added.get(tool.name) }));
    // First those that are there: they are what an operator looks for.
    return entries.toSorted((a, b) => Number(b.model !== undefined) - Number(a.model !== undefined));
  }, []);
  const wanted = text.trim().toLowerCase();
  const shown = load.value?.filter(({ tool }) => `${tool.name} ${tool.title}`.toLowerCase().includes(wanted)) ?? [];
  return (
    <Panel
      title="Models"
      about="Learned metrics come without weights: export one with its recipe, then add the file where the server runs."
      load={load}
    >
      <Field label="Find a model">
        <input
          type="search"
          placeholder="its name, or what it measures"
          value={text}
          onInput={(event: Event) => setText((event.target as HTMLInputElement).value)}
        />
      </Field>
      {load.value && shown.length === 0 && <Empty title="No such model">Its name is spelt as in IQA-PyTorch.</Empty>}
      <ul class="entries">
        {shown.map(({ tool, model }) => (
          <ModelEntry key={tool.name} tool={tool} model={model} />
        ))}
      </ul>
    </Panel>
  );
};

interface EntryProps {
  readonly tool: IqaTool;
  readonly model: Model | undefined;
}

const ModelEntry = ({ tool, model }: EntryProps) => {
  const client = useClient();
  const [script, setScript] = useState<string | undefined>(undefined);
  const show = useAction(async () =>
    setScript(script === undefined ? (await client.recipe(tool.name)).script : undefined),
  );
  return (
    <li class="entry">
      <div class="row between">
        <div class="row">
          <code>{tool.name}</code>
          <Badge tone="accent">{tool.type === 'FR' ? 'compares' : 'alone'}</Badge>
          {model ? <Badge tone="good">added</Badge> : <Badge>no model yet</Badge>}
        </div>
        <Button
          kind="quiet"
          label={`${script === undefined ? 'Show' : 'Hide'} the recipe of ${tool.name}`}
          isBusy={show.isBusy}
          onClick={() => void show.run()}
        >
          {script === undefined ? 'Show the recipe' : 'Hide the recipe'}
        </Button>
      </div>
      <p class="small muted">
        {tool.title}
        {model &&
          ` · ${showBytes(model.bytes)}, added ${showTime(model.added_at)}, sample score ${showRaw(model.sample_score)}, SHA-256 ${model.sha256.slice(0, 12)}`}
      </p>
      <Notice fault={show.fault} />
      {script !== undefined && (
        <>
          <div class="row between">
            <p class="small">
              Run this where Python has <code>pyiqa</code>, then{' '}
              <code>
                npx assay models add {tool.name} {tool.name.replaceAll('+', '-plus')}.onnx
              </code>
            </p>
            <CopyButton text={script} />
          </div>
          <Code text={script} label={`Recipe of ${tool.name}`} />
        </>
      )}
    </li>
  );
};
