import jsonata from 'jsonata';
import { Fault, messageOf } from '../../kernel/errors.ts';
import { type Builtin, defineBuiltin, objectSchema, textArgument } from './builtin.ts';

/** JSONata may loop, recurse and backtrack forever, so it needs a thread that can be terminated. */
export const jsonQuery: Builtin = {
  work: 'unbounded',
  definition: defineBuiltin({
    name: 'json_query',
    description:
      'Queries and transforms a JSON value with a JSONata expression: pick fields, filter lists, sum, group, sort and reshape.',
    category: 'data',
    tags: ['json', 'query', 'jsonata', 'transform', 'filter'],
    scenarios: ['data_analysis', 'development'],
    intents: ['search', 'convert', 'calculate'],
    instructions:
      'Use json_query when you have JSON and need part of it or a value computed from it. Example: expression "orders[total > 100].customer.name" gives the names of customers with large orders.',
    parameters: {
      data: { description: 'The JSON value to query.' },
      expression: {
        type: 'string',
        minLength: 1,
        maxLength: 10_000,
        description: 'A JSONata expression, such as $sum(orders.total).',
      },
      bindings: { type: 'object', description: 'Values the expression may use as $name.' },
    },
    required: ['data', 'expression'],
    output: objectSchema({
      found: { type: 'boolean', description: 'Whether the expression matched anything.' },
      result: { description: 'What it gave; null when nothing matched.' },
    }),
    timeoutSeconds: 5,
    // $now, $millis and $random differ from call to call.
    isConstant: false,
  }),
  run: async (args) => {
    const result: unknown = await evaluate(textArgument(args, 'expression'), args.data, args.bindings);
    return { found: result !== undefined, result: result ?? null };
  },
};

const evaluate = async (expression: string, data: unknown, bindings: unknown): Promise<unknown> => {
  try {
    return await jsonata(expression).evaluate(data, (bindings ?? {}) as Record<string, unknown>);
  } catch (cause) {
    const { position, code } = cause as { readonly position?: number; readonly code?: string };
    const place = position === undefined ? '' : ` at character ${position}`;
    throw new Fault(
      'InvalidInput',
      `expression fails${place}: ${messageOf(cause)}`,
      { field: 'expression', code },
      {
        cause,
      },
    );
  }
};
