import { showBytes } from '../format.ts';
import { DropZone } from '../ui/drop-zone.tsx';
import { Field } from '../ui/parts.tsx';
import { useState } from '../use-state.ts';
import type { FormDraft, Parameter } from './draft.ts';

interface Props {
  readonly parameters: readonly Parameter[];
  readonly draft: FormDraft;
  readonly issues: ReadonlyMap<string, string>;
  /** Questions about parameters, shown beside their fields. */
  readonly questions?: ReadonlyMap<string, string> | undefined;
  onChange(draft: FormDraft): void;
}

/** A form generated from a tool's JSON Schema. */
export const SchemaForm = ({ parameters, draft, issues, questions, onChange }: Props) => (
  <div class="schema-form">
    {parameters.map((parameter) => (
      <div key={parameter.name} class={questions?.has(parameter.name) ? 'asked' : undefined}>
        {questions?.has(parameter.name) && <p class="small asked-text">{questions.get(parameter.name)}</p>}
        <Labelled
          parameter={parameter}
          value={draft[parameter.name]}
          isWrong={issues.has(parameter.name)}
          onValue={(value) => onChange({ ...draft, [parameter.name]: value })}
        />
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

/** A field with label and description; a picture field has its own label. */
const Labelled = (props: ControlProps) => {
  const { name, kind, isRequired, schema } = props.parameter;
  const label = isRequired ? `${name} *` : name;
  if (kind === 'picture') return <PictureField label={label} value={props.value} onValue={props.onValue} />;
  return (
    <Field label={label} hint={typeof schema.description === 'string' ? schema.description : undefined}>
      <Control {...props} />
    </Field>
  );
};

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
      return (
        <input {...state} inputmode="decimal" autocomplete="off" placeholder={describeHint(schema)} onInput={typed} />
      );
    case 'line':
      return <input {...state} type="text" autocomplete="off" placeholder={describeHint(schema)} onInput={typed} />;
    case 'text':
      return <textarea {...state} rows={3} onInput={typed} />;
    case 'json':
      return <textarea {...state} class="mono" rows={3} spellcheck={false} placeholder="JSON" onInput={typed} />;
    case 'picture':
      return null;
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

const describeHint = ({ default: usual, minimum, maximum }: Parameter['schema']): string => {
  if (usual !== undefined) return `default ${String(usual)}`;
  if (minimum === undefined && maximum === undefined) return '';
  return `${minimum === undefined ? 'up' : String(minimum)} to ${maximum === undefined ? '…' : String(maximum)}`;
};

interface PictureProps {
  readonly label: string;
  readonly value: unknown;
  onValue(value: unknown): void;
}

const PictureField = ({ label, value, onValue }: PictureProps) => {
  const [file, setFile] = useState<File | undefined>(undefined);
  const attached = (value as { readonly base64?: string } | undefined)?.base64;
  const take = async ([first]: readonly File[]): Promise<void> => {
    setFile(first);
    onValue(first && { base64: await base64Of(first) });
  };
  return (
    <div class="group">
      <DropZone
        label={label}
        hint="JPEG, PNG, WebP, AVIF, TIFF or GIF"
        files={file ? [file] : []}
        onFiles={(files) => void take(files)}
      />
      {attached !== undefined && !file && <p class="small muted">{showBytes(attached.length * 0.75)} attached</p>}
    </div>
  );
};

const base64Of = (file: File): Promise<string> =>
  new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => fail(reader.error);
    reader.readAsDataURL(file);
  });
