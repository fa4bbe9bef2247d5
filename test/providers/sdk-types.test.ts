import assert from 'node:assert/strict';
import { test } from 'node:test';
import type Anthropic from '@anthropic-ai/sdk';
import type * as Bedrock from '@aws-sdk/client-bedrock-runtime';
import type * as Gemini from '@google/genai';
import type { FunctionResultEntry$Outbound as MistralEntryOut } from '@mistralai/mistralai/models/components/functionresultentry.js';
import type { Tool$Outbound as MistralToolOut } from '@mistralai/mistralai/models/components/tool.js';
import type { ToolMessage$Outbound as MistralMessageOut } from '@mistralai/mistralai/models/components/toolmessage.js';
import type * as Mcp from '@modelcontextprotocol/server';
import type { CohereClientV2 } from 'cohere-ai';
import type * as Ollama from 'ollama';
import type OpenAI from 'openai';
import type { AnthropicMessage, AnthropicTool } from '../../shared/providers/anthropic.ts';
import type { BedrockMessage, BedrockTool } from '../../shared/providers/bedrock.ts';
import type { CohereTool } from '../../shared/providers/cohere.ts';
import type { GeminiMessage, GeminiSchema, GeminiTool } from '../../shared/providers/gemini.ts';
import type { InteractionsMessage, InteractionsTool } from '../../shared/providers/gemini-interactions.ts';
import { convert, formatResults, providerNames } from '../../shared/providers/index.ts';
import type { McpMessage, McpTool } from '../../shared/providers/mcp.ts';
import type { MistralEntry, MistralMessage, MistralTool } from '../../shared/providers/mistral.ts';
import type { OllamaMessage, OllamaTool } from '../../shared/providers/ollama.ts';
import type { OpenResponsesTool } from '../../shared/providers/open-responses.ts';
import type { OpenaiMessage, OpenaiTool } from '../../shared/providers/openai.ts';
import type {
  ResponsesMessage,
  ResponsesSearchMessage,
  ResponsesTool,
} from '../../shared/providers/openai-responses.ts';
import { aTool } from './support/tools.ts';

type Document = Extract<NonNullable<Bedrock.ToolInputSchema['json']>, object>;
type CohereRequest = Parameters<CohereClientV2['chat']>[0];

/** The SDK names types by an enum, whose members are these words in capitals. */
type GeminiSdkSchema = Omit<Gemini.Schema, 'type' | 'items' | 'properties' | 'anyOf'> & {
  type?: Lowercase<`${Gemini.Type}`>;
  items?: GeminiSdkSchema;
  properties?: Record<string, GeminiSdkSchema>;
  anyOf?: GeminiSdkSchema[];
};

/** That this compiles is the test: each of our forms is one of the SDK's own. */
export const forms = {
  openai: (tool: OpenaiTool): OpenAI.Chat.Completions.ChatCompletionTool => tool,
  openaiMessage: (message: OpenaiMessage): OpenAI.Chat.Completions.ChatCompletionMessageParam => message,
  responses: (tool: ResponsesTool): OpenAI.Responses.FunctionTool => tool,
  responsesMessage: (message: ResponsesMessage): OpenAI.Responses.ResponseInputItem.FunctionCallOutput => message,
  responsesSearch: (message: ResponsesSearchMessage): OpenAI.Responses.ResponseToolSearchOutputItemParam => message,
  anthropic: (tool: AnthropicTool): Anthropic.Tool => tool,
  anthropicMessage: (message: AnthropicMessage): Anthropic.MessageParam => message,
  geminiSchema: (schema: GeminiSchema): GeminiSdkSchema => schema,
  gemini: (tool: GeminiTool): Omit<Gemini.FunctionDeclaration, 'parameters'>[] => tool.functionDeclarations,
  geminiMessage: (message: GeminiMessage): Gemini.Content => message,
  interactions: (tool: InteractionsTool): Gemini.Interactions.Function => tool,
  interactionsMessage: (message: InteractionsMessage): Gemini.Interactions.FunctionResultStep => message,
  openResponses: (tool: OpenResponsesTool): OpenAI.Responses.FunctionTool => tool,
  ollama: (tool: OllamaTool): Ollama.Tool => tool,
  ollamaMessage: (message: OllamaMessage): Ollama.Message => message,
  mistral: (tool: MistralTool): MistralToolOut => tool,
  mistralMessage: (message: MistralMessage): MistralMessageOut => message,
  mistralEntry: (entry: MistralEntry): MistralEntryOut => entry,
  cohere: (tool: CohereTool): NonNullable<CohereRequest['tools']>[number] => tool,
  bedrock: (tool: BedrockTool<Document>): Bedrock.Tool => tool,
  bedrockMessage: (message: BedrockMessage<Document>): Bedrock.Message => message,
  mcp: (tool: McpTool): Mcp.Tool => tool,
  mcpResult: (message: McpMessage): Mcp.CallToolResult => message.result,
};

test('every provider’s tools and messages have the types of its SDK', () => {
  for (const provider of providerNames) {
    const { value } = convert(provider, [aTool()]);
    const messages = formatResults(provider, [{ id: 'call_1', name: 'score', output: { score: 3 } }]);

    assert.ok(Array.isArray(value) && value.length === 1);
    assert.equal(messages.length, 1);
  }
});
