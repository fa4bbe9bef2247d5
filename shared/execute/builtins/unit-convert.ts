import { suggest } from '../../kernel/did-you-mean.ts';
import { Fault } from '../../kernel/errors.ts';
import { type Builtin, defineBuiltin, objectSchema, textArgument } from './builtin.ts';
import { DIMENSIONS, findUnit, type Unit, unitNames } from './units.ts';

export const unitConvert: Builtin = {
  work: 'linear',
  definition: defineBuiltin({
    name: 'unit_convert',
    description: `Converts a value between units of ${DIMENSIONS.join(', ')}: kilometers to miles, pounds to kilograms, hours to minutes, celsius to fahrenheit.`,
    category: 'mathematics',
    tags: ['unit', 'convert', 'measure', 'metric', 'imperial'],
    scenarios: ['mathematics', 'knowledge'],
    intents: ['convert', 'calculate'],
    instructions: 'Units are written by symbol or name: km, mile, lb, kilogram, C, fahrenheit, GiB, km/h, kWh.',
    parameters: {
      value: { type: 'number' },
      from: { type: 'string', minLength: 1, maxLength: 40, description: 'The unit of the value, such as km or mile.' },
      to: { type: 'string', minLength: 1, maxLength: 40, description: 'The unit wanted.' },
    },
    required: ['value', 'from', 'to'],
    output: objectSchema({
      value: { type: 'number' },
      from: { type: 'string' },
      to: { type: 'string' },
      dimension: { type: 'string' },
    }),
  }),
  run: (args) => {
    const from = requireUnit(textArgument(args, 'from'), 'from');
    const to = requireUnit(textArgument(args, 'to'), 'to');
    if (from.dimension !== to.dimension)
      throw new Fault('InvalidInput', `${from.symbol} measures ${from.dimension}, ${to.symbol} ${to.dimension}`, {
        field: 'to',
        value: args.to,
      });
    const inBase = (Number(args.value) + (from.offset ?? 0)) * from.factor;
    const value = inBase / to.factor - (to.offset ?? 0);
    if (!Number.isFinite(value))
      throw new Fault('InvalidInput', `${args.value} ${from.symbol} is too large for ${to.symbol}`, { field: 'value' });
    // A double is exact to fifteen digits; further digits are rounding errors.
    return { value: Number(value.toPrecision(15)), from: from.symbol, to: to.symbol, dimension: from.dimension };
  },
};

const requireUnit = (text: string, field: string): Unit => {
  const unit = findUnit(text);
  if (unit) return unit;
  throw new Fault('InvalidInput', `${field} ${JSON.stringify(text)} is not a known unit${suggest(text, unitNames())}`, {
    field,
    value: text,
  });
};
