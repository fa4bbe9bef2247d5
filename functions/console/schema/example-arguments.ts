import type { JsonObject, JsonSchema } from '../answers.ts';
import { listParameters } from './draft.ts';

/** The smallest GIF. */
const PICTURE = { base64: 'R0lGODlhAQABAAAAACw=' };

/** Example arguments: a valid value for every required parameter. */
export const exampleArguments = (schema: JsonSchema): JsonObject =>
  Object.fromEntries(
    listParameters(schema)
      .filter(({ isRequired }) => isRequired)
      .map(({ name, kind, schema: part }) => [name, kind === 'picture' ? PICTURE : makeExample(part)]),
  );

const makeExample = ({ type, enum: values, examples, default: usual, minimum }: JsonSchema): unknown => {
  if (Array.isArray(examples)) return examples[0];
  if (usual !== undefined) return usual;
  if (Array.isArray(values)) return values[0];
  if (type === 'number' || type === 'integer') return minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [];
  return type === 'object' ? {} : 'one two three';
};
