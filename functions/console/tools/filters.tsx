import { distortions } from '../../../shared/model/distortions.ts';
import type { Registration } from '../answers.ts';

export const NO_FILTER = { q: '', category: '', tags: '', type: '', distortion: '' };
export type ToolsFilter = Readonly<typeof NO_FILTER>;

interface Props {
  readonly filter: ToolsFilter;
  readonly tools: readonly Registration[];
  onChange(filter: ToolsFilter): void;
}

const TYPES = [
  ['FR', 'compares with an original'],
  ['NR', 'looks at one picture'],
] as const;

export const Filters = ({ filter, tools, onChange }: Props) => {
  const set = (name: keyof ToolsFilter) => (event: Event) =>
    onChange({ ...filter, [name]: (event.target as HTMLInputElement).value });
  const same = (name: string) => [name, name] as const;
  const categories = sorted(tools.flatMap(({ spec }) => spec.category ?? []));
  const tags = sorted(tools.flatMap(({ spec }) => spec.tags ?? []));
  return (
    <search class="filters">
      <input
        type="search"
        placeholder="Search: what should it do?"
        aria-label="Search tools"
        value={filter.q}
        onInput={set('q')}
      />
      <Select label="Category" value={filter.category} options={categories.map(same)} onChange={set('category')} />
      <Select label="Tag" value={filter.tags} options={tags.map(same)} onChange={set('tags')} />
      <Select label="Image type" value={filter.type} options={TYPES} onChange={set('type')} />
      <Select
        label="Distortion"
        value={filter.distortion}
        options={distortions.map(same)}
        onChange={set('distortion')}
      />
    </search>
  );
};

const sorted = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  onChange(event: Event): void;
}

const Select = ({ label, value, options, onChange }: SelectProps) => (
  <select aria-label={label} value={value} onChange={onChange}>
    <option value="">{label}</option>
    {options.map(([option, text]) => (
      <option key={option} value={option}>
        {text}
      </option>
    ))}
  </select>
);
