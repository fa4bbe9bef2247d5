import type { Definition, JsonObject, ToolCheck } from '../answers.ts';
import { useClient } from '../context.ts';
import { ApiFault } from '../fault.ts';
import { goTo } from '../route.ts';
import { Notice } from '../ui/notice.tsx';
import { Badge, Button, Field } from '../ui/parts.tsx';
import { useEffect } from '../use-effect.ts';
import { useKept } from '../use-kept.ts';
import { useAction, useLoad } from '../use-load.ts';
import { useSettled } from '../use-settled.ts';

const TEMPLATE = {
  name: 'greet_person',
  version: '1.0.0',
  type: 'function',
  handler: 'greet_person',
  description: 'Greets a person by name',
  permission: 'safe',
  parameters: {
    type: 'object',
    properties: { name: { type: 'string', description: 'Who is greeted.' } },
    required: ['name'],
  },
  implementation: { type: 'mock', mock_response: { text: 'Hello!' } },
};

const write = (value: unknown): string => JSON.stringify(value, null, 2);

/** Registers a tool or a new version: fields and JSON of one definition, checked while typing. */
export const RegisterPage = ({ from }: { readonly from: string }) => {
  const client = useClient();
  const [text, setText] = useKept(`register.${from}`, from === '' ? write(TEMPLATE) : '');
  const start = useAction(async () => setText(write((await client.tool(from)).spec)));
  useEffect(() => {
    if (text === '') void start.run();
  }, []);
  const settled = useSettled(text, 300);
  const check = useLoad(async () => (settled === '' ? undefined : client.checkTool(parse(settled))), [settled]);
  const register = useAction(async () => {
    const made = await client.registerTool(parse(text));
    setText(from === '' ? write(TEMPLATE) : '');
    goTo(`tools/${made.spec.name}`);
  });
  const submit = (event: Event): void => {
    event.preventDefault();
    void register.run();
  };
  const isChecked = settled === text && !check.isLoading && check.fault === undefined;
  return (
    <div class="page">
      <p>
        <a href={from === '' ? '#/tools' : `#/tools/${from}`}>{from === '' ? 'All tools' : from}</a>
      </p>
      <div class="page-head">
        <h1>{from === '' ? 'Register a tool' : `A new version of ${from}`}</h1>
        <p class="lead">Checked while you type, for every model provider. Nothing is stored until you register it.</p>
      </div>
      <Notice fault={start.fault} onRetry={() => void start.run()} />
      <form class="columns" onSubmit={submit}>
        <section class="card" aria-label="Definition">
          <Fields text={text} onText={setText} />
          <Field label="The whole definition, as JSON">
            <textarea
              class="mono"
              rows={18}
              spellcheck={false}
              value={text}
              onInput={(event: Event) => setText((event.target as HTMLTextAreaElement).value)}
            />
          </Field>
          <div class="row">
            <Button kind="primary" type="submit" disabled={!isChecked} isBusy={register.isBusy}>
              Register
            </Button>
          </div>
          <Notice fault={register.fault} onRetry={() => void register.run()} />
        </section>
        <section class="card" aria-label="Check" aria-live="polite">
          <h2>Check</h2>
          {check.isLoading && <p class="small muted">Checking…</p>}
          <Notice fault={check.fault} onRetry={check.reload} />
          {isChecked && check.value && <Checked check={check.value} />}
        </section>
      </form>
    </div>
  );
};

const parse = (text: string): Definition => {
  try {
    return JSON.parse(text) as Definition;
  } catch (cause) {
    throw new ApiFault('InvalidInput', `the definition is not JSON: ${(cause as Error).message}`);
  }
};

const FIELDS = [
  ['name', 'Name'],
  ['version', 'Version'],
  ['category', 'Category'],
] as const;

interface FieldsProps {
  readonly text: string;
  onText(text: string): void;
}

/** The common fields; they are disabled while the JSON is invalid. */
const Fields = ({ text, onText }: FieldsProps) => {
  const definition = readObject(text);
  const set = (name: string) => (event: Event) => {
    const { value } = event.target as HTMLInputElement;
    if (definition) onText(write({ ...definition, [name]: value === '' ? undefined : value }));
  };
  const value = (name: string): string => (definition?.[name] === undefined ? '' : String(definition[name]));
  return (
    <div class="key-limits pairs">
      {FIELDS.map(([name, label]) => (
        <Field key={name} label={label}>
          <input type="text" autocomplete="off" disabled={!definition} value={value(name)} onInput={set(name)} />
        </Field>
      ))}
      <Field label="Permission">
        <select disabled={!definition} value={value('permission') || 'safe'} onChange={set('permission')}>
          {['safe', 'confirm', 'dangerous'].map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </Field>
      <div class="wide">
        <Field label="Description">
          <input
            type="text"
            autocomplete="off"
            disabled={!definition}
            value={value('description')}
            onInput={set('description')}
          />
        </Field>
      </div>
    </div>
  );
};

const readObject = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
};

const OUTCOMES: Readonly<Record<ToolCheck['outcome'], string>> = {
  new: 'A new tool',
  version: 'A new version',
  identical: 'Registered already, exactly so',
};

const Checked = ({ check }: { readonly check: ToolCheck }) => (
  <div class="group">
    <div class="row">
      <Badge tone="good">{OUTCOMES[check.outcome]}</Badge>
      <code>{check.id}</code>
    </div>
    <p class="small">
      {check.becomes_default ? 'It becomes the default version.' : 'The default version stays as it is.'}
    </p>
    {check.warnings.length === 0 ? (
      <p class="small muted">Every provider takes it as it is.</p>
    ) : (
      <ul class="changes">
        {check.warnings.map((warning) => (
          <li key={warning} class="warn-text small">
            {warning}
          </li>
        ))}
      </ul>
    )}
  </div>
);
