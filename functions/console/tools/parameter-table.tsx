import type { JsonSchema } from '../answers.ts';
import type { Parameter } from '../schema/draft.ts';
import { Scroll } from '../ui/parts.tsx';

export const ParameterTable = ({ parameters }: { readonly parameters: readonly Parameter[] }) => {
  if (parameters.length === 0) return <p class="muted">None.</p>;
  return (
    <Scroll label="Table of parameters">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {parameters.map(({ name, schema, kind, isRequired }) => (
            <tr key={name}>
              <td>
                <code>{name}</code>
                {isRequired && <span class="small muted"> required</span>}
              </td>
              <td class="small">{kind === 'picture' ? 'picture' : typeOf(schema)}</td>
              <td class="small">{meaningOf(schema)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
};

const typeOf = ({ type, enum: choices }: JsonSchema): string => {
  if (Array.isArray(choices)) return choices.map(String).join(' | ');
  return Array.isArray(type) ? type.join(' | ') : String(type ?? 'any');
};

const meaningOf = ({ description, default: usual, minimum, maximum }: JsonSchema): string =>
  [
    typeof description === 'string' ? description : '',
    minimum === undefined ? '' : `At least ${String(minimum)}.`,
    maximum === undefined ? '' : `At most ${String(maximum)}.`,
    usual === undefined ? '' : `Default ${JSON.stringify(usual)}.`,
  ]
    .filter((part) => part !== '')
    .join(' ');
