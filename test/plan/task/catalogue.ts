import { argumentsFor } from '../../../shared/decide/arguments.ts';
import { decide } from '../../../shared/decide/decide.ts';
import { builtins } from '../../../shared/execute/builtins/index.ts';
import type { Tool } from '../../../shared/model/tool.ts';
import { actionWords } from '../../../shared/plan/task/actions.ts';
import type { PlanTaskDeps } from '../../../shared/plan/task/plan-task.ts';
import { parseSpec } from '../../../shared/registry/parse-definition.ts';
import { createSearchIndex } from '../../../shared/search/search-index.ts';

const text = (description: string) => ({ type: 'string', description });
const tool = (
  name: string,
  description: string,
  parameters: object,
  required: readonly string[],
  output: object,
  more: object = {},
): Tool =>
  parseSpec({
    name,
    description,
    parameters: { type: 'object', properties: parameters, required },
    output_schema: { type: 'object', properties: output, required: Object.keys(output) },
    ...more,
  });

/** Tools of an office, beside the builtin ones. */
const office: readonly Tool[] = [
  tool(
    'get_weather',
    'Get the current weather of a city. 查询城市的天气',
    { city: text('The city, e.g. Paris') },
    ['city'],
    { summary: text('The weather in words'), temperature: { type: 'number' } },
  ),
  tool(
    'translate_text',
    'Translate a text into another language. 把文本翻译成另一种语言',
    { text: text('The text to translate'), target_language: text('The language to translate into, e.g. French') },
    ['text', 'target_language'],
    { translation: text('The translated text') },
  ),
  tool(
    'summarize_text',
    'Summarize a long text in a few sentences. 总结文本',
    { text: text('The text to summarize') },
    ['text'],
    { summary: text('The summary') },
  ),
  tool(
    'send_email',
    'Send an e-mail message to a person. 发送电子邮件',
    {
      to: { type: 'string', format: 'email', description: 'The address of the receiver' },
      body: text('The text of the message'),
      subject: text('The subject line'),
    },
    ['to', 'body'],
    { message_id: text('The id of the sent message') },
  ),
  tool(
    'web_search',
    'Search the web for pages about a topic. 在网上搜索',
    { query: text('What to search for') },
    ['query'],
    { results: { type: 'array', items: { type: 'object' } }, text: text('The snippets as one text') },
  ),
  tool(
    'download_file',
    'Download a file from a URL. 下载文件',
    { url: { type: 'string', format: 'uri', description: 'The address of the file' } },
    ['url'],
    { content: text('The content of the file'), size: { type: 'integer' } },
  ),
  tool('read_file', 'Read a text file from disk. 读取文件', { path: text('The path of the file') }, ['path'], {
    content: text('The content of the file'),
  }),
  tool(
    'save_file',
    'Write a text to a file on disk. 保存到文件',
    { path: text('The path of the file'), content: text('What to write') },
    ['path', 'content'],
    { path: text('Where it was written'), bytes: { type: 'integer' } },
  ),
  tool(
    'detect_language',
    'Detect which language a text is written in. 检测语言',
    { text: text('The text to look at') },
    ['text'],
    { language: text('The name of the language') },
  ),
  tool(
    'currency_convert',
    'Convert an amount of money from one currency to another. 货币换算',
    {
      amount: { type: 'number' },
      from: text('The currency code to convert from, e.g. USD'),
      to: text('The currency code to convert to, e.g. EUR'),
    },
    ['amount', 'from', 'to'],
    { amount: { type: 'number' } },
  ),
];

/** What planning needs of a catalogue that has just these tools. */
export const planningWith = (specs: readonly Tool[]): PlanTaskDeps => {
  const tools = new Map(specs.map((each) => [each.name, each]));
  const index = createSearchIndex();
  for (const each of specs) index.set(each);
  const deps = { index, tool: (name: string) => tools.get(name) };
  const now = Date.UTC(2026, 2, 2);
  return {
    decide: (task) => decide({ task, now }, deps),
    fill: (task, chosen) => argumentsFor({ task, now }, chosen, deps),
    tool: deps.tool,
    isAction: actionWords(tools.keys()),
  };
};

export const fixtureDeps = planningWith([...builtins.map(({ definition }) => parseSpec(definition)), ...office]);
