import { setTimeout } from 'node:timers/promises';
import type { Handler } from '../../shared/kernel/ports.ts';
import type { ToolSource } from '../../shared/registry/load.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const text = (value: string) => ({ type: 'text', text: value });
const image = { type: 'image', data: PIXEL, mimeType: 'image/png' };

const PAUSE_MS = 50;

const tell = (run: Handler['run']): Handler => ({ permission: 'safe', run });

/** The tools that the protocol's conformance suite calls, as builtins of a registry. */
export const conformanceHandlers: ReadonlyMap<string, Handler> = new Map([
  ['test_simple_text', tell(async () => 'This is a simple text response for testing.')],
  ['test_image_content', tell(async () => ({ content: [image] }))],
  ['test_audio_content', tell(async () => ({ content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }] }))],
  [
    'test_embedded_resource',
    tell(async () => ({
      content: [
        { type: 'resource', resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'embedded' } },
      ],
    })),
  ],
  [
    'test_multiple_content_types',
    tell(async () => ({
      content: [
        text('Multiple content types test:'),
        image,
        { type: 'resource', resource: { uri: 'test://mixed', mimeType: 'application/json', text: '{"value":123}' } },
      ],
    })),
  ],
  [
    'test_tool_with_logging',
    tell(async (_, { client }) => {
      for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        client?.log('info', line);
        await setTimeout(PAUSE_MS);
      }
      return 'logged';
    }),
  ],
  [
    'test_error_handling',
    tell(async () => {
      throw new Error('This tool intentionally returns an error for testing');
    }),
  ],
  [
    'test_tool_with_progress',
    tell(async (_, { progress }) => {
      for (const done of [0, 50, 100]) {
        progress?.(done, 100);
        await setTimeout(PAUSE_MS);
      }
      return 'done in three steps';
    }),
  ],
  [
    'test_sampling',
    tell(async ({ prompt }, { client }) => {
      const messages = [{ role: 'user', content: text(String(prompt)) }];
      const said = await client?.request?.('sampling/createMessage', { messages, maxTokens: 100 });
      return `LLM response: ${JSON.stringify(said)}`;
    }),
  ],
  [
    'test_elicitation',
    tell(async ({ message }, { client }) => {
      const field = { type: 'string', description: 'From the person' };
      const requestedSchema = {
        type: 'object',
        properties: { username: field, email: field },
        required: ['username', 'email'],
      };
      const said = await client?.request?.('elicitation/create', { message: String(message), requestedSchema });
      return `User response: ${JSON.stringify(said)}`;
    }),
  ],
  ['json_schema_2020_12_tool', tell(async (args) => args)],
]);

const parametersOf: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  test_sampling: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
  test_elicitation: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
    },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  },
};

export const conformanceTools: ToolSource = {
  kind: 'shipped',
  source: 'conformance',
  definitions: [...conformanceHandlers.keys()].map((name) => ({
    name,
    description: `What the conformance suite expects of ${name}`,
    type: 'function',
    handler: name,
    parameters: parametersOf[name] ?? { type: 'object', properties: {} },
    implementation: { type: 'builtin', handler: name },
  })),
};
