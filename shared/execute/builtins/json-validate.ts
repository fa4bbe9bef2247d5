import type { JsonSchema } from '../../kernel/json.ts';
import { checkSchema, unlimitedValidator } from '../../kernel/json-schema.ts';
import { type Builtin, defineBuiltin, objectSchema } from './builtin.ts';

/**
 * Schemas that refer to the same definition twice, level upon level, take exponential time: it needs a thread that can
 * be terminated.
 */
export const jsonValidate: Builtin = {
  work: 'unbounded',
  definition: defineBuiltin({
    name: 'json_validate',
    description: 'Checks a JSON value against a JSON Schema (2020-12) and lists every violation with its path.',
    category: 'data',
    tags: ['json', 'schema', 'validate', 'check'],
    scenarios: ['data_analysis', 'development'],
    intents: ['analyze', 'compare'],
    parameters: {
      data: { description: 'The JSON value to check.' },
      schema: { type: 'object', description: 'The JSON Schema it should meet.' },
    },
    required: ['data', 'schema'],
    output: objectSchema({
      valid: { type: 'boolean' },
      errors: { type: 'array', items: objectSchema({ path: { type: 'string' }, message: { type: 'string' } }) },
    }),
    timeoutSeconds: 5,
  }),
  run: ({ data, schema }) => {
    checkSchema(schema as JsonSchema, 'schema');
    const { issues } = unlimitedValidator(schema as JsonSchema, 'schema')(data);
    return { valid: issues.length === 0, errors: issues };
  },
};
