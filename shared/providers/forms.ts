import { Fault } from '../kernel/errors.ts';
import { anthropicForm } from './anthropic.ts';
import { bedrockForm } from './bedrock.ts';
import { cohereForm } from './cohere.ts';
import type { Form } from './definer.ts';
import { geminiForm } from './gemini.ts';
import { geminiInteractionsForm } from './gemini-interactions.ts';
import { mcpForm } from './mcp.ts';
import { mistralForm } from './mistral.ts';
import { ollamaForm } from './ollama.ts';
import { openResponsesForm } from './open-responses.ts';
import { openaiForm } from './openai.ts';
import { openaiResponsesForm } from './openai-responses.ts';
import { openrouterForm } from './openrouter.ts';

/** The definition half of each provider: all that is needed to answer with definitions. */
const forms = {
  anthropic: anthropicForm,
  bedrock: bedrockForm,
  cohere: cohereForm,
  gemini: geminiForm,
  'gemini-interactions': geminiInteractionsForm,
  mcp: mcpForm,
  mistral: mistralForm,
  ollama: ollamaForm,
  'open-responses': openResponsesForm,
  openai: openaiForm,
  'openai-responses': openaiResponsesForm,
  openrouter: openrouterForm,
} as const satisfies Readonly<Record<string, Form>>;

export type ProviderName = keyof typeof forms;

export const providerNames = Object.keys(forms).sort() as readonly ProviderName[];

/** The definition half of a provider; an unknown provider is refused with a list of those known. */
export const findForm = (provider: string): Form => forms[knownProvider(provider)];

export function knownProvider(name: string): ProviderName {
  if (Object.hasOwn(forms, name)) return name as ProviderName;
  throw new Fault(
    'InvalidInput',
    `provider ${JSON.stringify(name)} is not supported; supported: ${providerNames.join(', ')}`,
    { supported: providerNames },
  );
}
