import { showBytes } from '../format.ts';
import { Field } from '../ui/parts.tsx';
import type { FormDraft, Parameter } from './draft.ts';

interface Props {
  readonly parameters: readonly Parameter[];
  readonly draft: FormDraft;
  readonly issues: ReadonlyMap<string, string>;
  onChange(draft: FormDraft): void;
}

/** A form made from a tool's JSON Schema. */
export const SchemaForm = ({ parameters, draft, issues, onChange }: Props) => (
  <div class="schema-form">
    {parameters.map((parameter) => (
      <div key={parameter.name}>
        <Field
          label={parameter.isRequired ? `${parameter.name} *` : parameter.name}
          hint={typeof parameter.schema.description === 'string' ? parameter.schema.description : undefined}
        >
          <Control
            parameter={parameter}
            value={draft[parameter.name]}
            isWrong={issues.has(parameter.name)}
            onValue={(value) => onChange({ ...draft, [parameter.name]: value })}
          />
        </Field>
        {issues.has(parameter.name) && (
          <p class="small danger-text">
            {parameter.name} {issues.get(parameter.name)}
          </p>
        )}
      </div>
    ))}
  </div>
);

interface ControlProps {
  readonly parameter: Parameter;
  readonly value: unknown;
  readonly isWrong: boolean;
  onValue(value: unknown): void;
}

const Control = ({ parameter, value, isWrong, onValue }: ControlProps) => {
  const { kind, schema } = parameter;
  const text = value === undefined ? '' : String(value);
  const typed = (event: Event): void => onValue((event.target as HTMLInputElement).value);
  const state = { value: text, 'aria-invalid': isWrong ? ('true' as const) : ('false' as const) };
  switch (kind) {
    case 'choice':
      return <Choose {...state} options={(schema.enum as unknown[]).map(String)} schema={schema} onTyped={typed} />;
    case 'boolean':
      return <Choose {...state} options={['true', 'false']} schema={schema} onTyped={typed} />;
    case 'number':
      return <input {...state} inputmode="decimal" autocomplete="off" placeholder={hintOf(schema)} onInput={typed} />;
    case 'line':
      return <input {...state} type="text" autocomplete="off" placeholder={hintOf(schema)} onInput={typed} />;
    case 'text':
      return <textarea {...state} rows={3} onInput={typed} />;
    case 'json':
      return <textarea {...state} class="mono" rows={3} spellcheck={false} placeholder="JSON" onInput={typed} />;
    case 'picture':
      return <PictureField value={value} onValue={onValue} />;
  }
};

interface ChooseProps {
  readonly value: string;
  readonly options: readonly string[];
  readonly schema: Parameter['schema'];
  readonly 'aria-invalid': 'true' | 'false';
  onTyped(event: Event): void;
}

const Choose = ({ value, options, schema, onTyped, ...rest }: ChooseProps) => (
  <select {...rest} value={value} onChange={onTyped}>
    <option value="">{schema.default === undefined ? 'choose' : `default (${String(schema.default)})`}</option>
    {options.map((option) => (
      <option key={option} value={option}>
        {option}
      </option>
    ))}
  </select>
);

const hintOf = ({ default: usual, minimum, maximum }: Parameter['schema']): string => {
  if (usual !== undefined) return `default ${String(usual)}`;
  if (minimum === undefined && maximum === undefined) return '';
  return `${minimum === undefined ? 'up' : String(minimum)} to ${maximum === undefined ? '…' : String(maximum)}`;
};

interface PictureProps {
  readonly value: unknown;
  onValue(value: unknown): void;
}

const PictureField = ({ value, onValue }: PictureProps) => {
  const chosen = (value as { readonly base64?: string } | undefined)?.base64;
  const take = async (event: Event): Promise<void> => {
    const file = (event.target as HTMLInputElement).files?.[0];
    if (file) onValue({ base64: await base64Of(file) });
  };
  return (
    <span class="row">
      <input type="file" accept="image/*" onChange={(event: Event) => void take(event)} />
      {chosen !== undefined && <span class="small muted">{showBytes(chosen.length * 0.75)} attached</span>}
    </span>
  );
};

const base64Of = (file: File): Promise<string> =>
  new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => fail(reader.error);
    reader.readAsDataURL(file);
  });
