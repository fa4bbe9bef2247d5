/** A request to one provider, and an example of its response with one call. */
export interface ProviderRequest {
  readonly url: string;
  /** The header and the environment variable of the API key; undefined where no key is needed. */
  readonly auth?: readonly [header: string, prefix: string, variable: string];
  body(text: string, tools: unknown): unknown;
  answer(tool: string, args: unknown): unknown;
}

const ID = 'call_1';
const user = (content: unknown) => [{ role: 'user', content }];
const text = (args: unknown): string => JSON.stringify(args);
const bearer = (variable: string) => ['Authorization', 'Bearer ', variable] as const;

/** OpenAI's chat completions API, which several providers support. */
const chat = (url: string, variable: string, model: string): ProviderRequest => ({
  url,
  auth: bearer(variable),
  body: (content, tools) => ({ model, messages: user(content), tools }),
  answer: (name, args) => ({
    choices: [
      {
        message: {
          role: 'assistant',
          tool_calls: [{ id: ID, type: 'function', function: { name, arguments: text(args) } }],
        },
        finish_reason: 'tool_calls',
      },
    ],
  }),
});

const responses = (url: string, variable: string, model: string): ProviderRequest => ({
  url,
  auth: bearer(variable),
  body: (input, tools) => ({ model, input: user(input), tools }),
  answer: (name, args) => ({
    status: 'completed',
    output: [{ type: 'function_call', id: 'fc_1', call_id: ID, name, arguments: text(args), status: 'completed' }],
  }),
});

const gemini = 'https://generativelanguage.googleapis.com/v1beta';

export const PROVIDER_REQUESTS: Readonly<Record<string, ProviderRequest>> = {
  openai: chat('https://api.openai.com/v1/chat/completions', 'OPENAI_API_KEY', 'gpt-5'),
  'openai-responses': responses('https://api.openai.com/v1/responses', 'OPENAI_API_KEY', 'gpt-5'),
  'open-responses': responses('http://localhost:8080/v1/responses', 'OPEN_RESPONSES_API_KEY', 'a-model'),
  openrouter: chat('https://openrouter.ai/api/v1/chat/completions', 'OPENROUTER_API_KEY', 'openai/gpt-5'),
  mistral: chat('https://api.mistral.ai/v1/chat/completions', 'MISTRAL_API_KEY', 'mistral-large-latest'),
  anthropic: {
    url: 'https://api.anthropic.com/v1/messages',
    auth: ['x-api-key', '', 'ANTHROPIC_API_KEY'],
    body: (content, tools) => ({ model: 'claude-sonnet-4-5', max_tokens: 1000, messages: user(content), tools }),
    answer: (name, input) => ({
      role: 'assistant',
      content: [{ type: 'tool_use', id: ID, name, input }],
      stop_reason: 'tool_use',
    }),
  },
  gemini: {
    url: `${gemini}/models/gemini-2.5-flash:generateContent`,
    auth: ['x-goog-api-key', '', 'GEMINI_API_KEY'],
    body: (said, tools) => ({ contents: [{ role: 'user', parts: [{ text: said }] }], tools }),
    answer: (name, args) => ({
      candidates: [{ content: { role: 'model', parts: [{ functionCall: { name, args } }] }, finishReason: 'STOP' }],
    }),
  },
  'gemini-interactions': {
    url: `${gemini}/interactions`,
    auth: ['x-goog-api-key', '', 'GEMINI_API_KEY'],
    body: (input, tools) => ({ model: 'gemini-2.5-flash', input, tools }),
    answer: (name, args) => ({
      status: 'requires_action',
      outputs: [{ type: 'function_call', id: ID, name, arguments: args }],
    }),
  },
  ollama: {
    url: 'http://localhost:11434/api/chat',
    body: (content, tools) => ({ model: 'qwen3', stream: false, messages: user(content), tools }),
    answer: (name, args) => ({
      message: { role: 'assistant', content: '', tool_calls: [{ function: { name, arguments: args } }] },
      done: true,
    }),
  },
  cohere: {
    url: 'https://api.cohere.com/v2/chat',
    auth: bearer('COHERE_API_KEY'),
    body: (content, tools) => ({ model: 'command-a-03-2025', messages: user(content), tools }),
    answer: (name, args) => ({
      message: {
        role: 'assistant',
        tool_calls: [{ id: ID, type: 'function', function: { name, arguments: text(args) } }],
      },
      finish_reason: 'TOOL_CALL',
    }),
  },
  bedrock: {
    url: 'https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-sonnet-4-5-20250929-v1:0/converse',
    auth: bearer('AWS_BEARER_TOKEN_BEDROCK'),
    body: (said, tools) => ({ messages: user([{ text: said }]), toolConfig: { tools } }),
    answer: (name, input) => ({
      output: { message: { role: 'assistant', content: [{ toolUse: { toolUseId: ID, name, input } }] } },
      stopReason: 'tool_use',
    }),
  },
  mcp: {
    url: '/mcp',
    body: (_, tools) => ({ jsonrpc: '2.0', id: 1, result: { tools } }),
    answer: (name, args) => ({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: args } }),
  },
};
