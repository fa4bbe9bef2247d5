import { decide } from '../../shared/decide/decide.ts';
import type { DecideDeps, DecideInput, Decision } from '../../shared/decide/decision.ts';
import type { JsonSchema } from '../../shared/kernel/json.ts';
import { validatorFor } from '../../shared/kernel/json-schema.ts';
import type { Tool } from '../../shared/model/tool.ts';
import { createSearchIndex } from '../../shared/search/search-index.ts';

const text = (description: string): JsonSchema => ({ type: 'string', description });

export const tool = (
  name: string,
  description: string,
  properties: Readonly<Record<string, JsonSchema>> = {},
  required: readonly string[] = [],
  more: Partial<Tool> = {},
): Tool => ({
  name,
  description,
  type: 'function',
  tags: [],
  parameters: { type: 'object', properties, required, additionalProperties: false },
  ...more,
});

/** A small catalogue such as a team may have, in English and Chinese. */
export const TOOLS: readonly Tool[] = [
  tool('read_file', 'Read the contents of a file', { path: text('Path of the file to read') }, ['path']),
  tool('write_file', 'Write text to a file', { path: text('Path of the file'), content: text('Text to write') }, [
    'path',
    'content',
  ]),
  tool('file_delete', 'Delete a file from disk', { path: text('Path of the file to delete') }, ['path'], {
    permission: 'dangerous',
  }),
  tool('http_get', 'Fetch a web page over the network', { url: text('URL to request') }, ['url']),
  tool(
    'column_mean',
    'Calculate the mean of a list of numbers',
    { numbers: { type: 'array', items: { type: 'number' }, description: 'The numbers' } },
    ['numbers'],
  ),
  tool(
    'resize_image',
    'Resize an image to a width and height in pixels',
    {
      path: text('Path of the image'),
      width: { type: 'integer', description: 'Width in pixels' },
      height: { type: 'integer', description: 'Height in pixels' },
    },
    ['path', 'width', 'height'],
  ),
  tool(
    'restart_service',
    'Restart a system service on a server',
    { service: text('Name of the service') },
    ['service'],
    { permission: 'confirm' },
  ),
  tool(
    'send_email',
    'Send an email message to a recipient',
    { to: text('Email address of the recipient'), subject: text('Subject line'), body: text('Text of the message') },
    ['to'],
  ),
  tool(
    'convert_currency',
    'Convert an amount of money from one currency to another',
    {
      amount: { type: 'number', description: 'The amount to convert' },
      from_currency: text('Currency to convert from'),
      to_currency: text('Currency to convert to'),
    },
    ['amount', 'from_currency', 'to_currency'],
  ),
  tool(
    'get_weather',
    'Get the weather forecast for a city on a date',
    {
      city: text('The city, in the format City, State, such as San Francisco, CA'),
      date: text('The date in the format YYYY-MM-DD'),
      unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    },
    ['city'],
  ),
  tool(
    'book_flight',
    'Book a flight between two cities',
    {
      origin: text('City of departure'),
      destination: text('City of arrival'),
      departure_date: text('Date of departure, YYYY-MM-DD'),
      passengers: { type: 'integer', description: 'Number of passengers' },
    },
    ['origin', 'destination', 'departure_date'],
  ),
  tool('search_papers', 'Search academic papers and studies by keyword', { query: text('Search keywords') }, ['query']),
  tool('翻译文本', '把文本翻译成另一种语言', { 文本: text('要翻译的文本'), 目标语言: text('目标语言') }, ['文本']),
  tool(
    'create_event',
    'Create a calendar event with a title and time',
    { title: text('Title of the event'), start: text('Start in the format YYYY-MM-DD HH:mm') },
    ['title'],
  ),
];

export const depsOf = (tools: readonly Tool[] = TOOLS, more: Partial<DecideDeps> = {}): DecideDeps => {
  const index = createSearchIndex();
  const byName = new Map(tools.map((each) => [each.name, each]));
  for (const each of tools) index.set(each);
  return {
    index,
    names: () => tools.map(({ name }) => name),
    tool: (name) => byName.get(name),
    validate: ({ parameters }, value) => validatorFor(parameters)(value).issues,
    ...more,
  };
};

const shared = depsOf();

/** Decides among TOOLS unless the test brings its own. */
export const decideAmong = (
  task: string,
  more: Partial<DecideInput> = {},
  deps: DecideDeps = shared,
): Promise<Decision> => decide({ task, ...more }, deps);

export const stepOf = (decision: Decision, name: Decision['steps'][number]['step']): Decision['steps'][number] => {
  const step = decision.steps.find((each) => each.step === name);
  if (step === undefined) throw new Error(`no step ${name}`);
  return step;
};
