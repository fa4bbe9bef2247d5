import type { Llm, LlmMessage } from '../../decide/llm.ts';
import { Fault } from '../../kernel/errors.ts';
import { isObject, type JsonSchema } from '../../kernel/json.ts';
import { lazyAsync } from '../../kernel/lazily.ts';
import { inSpan } from '../../kernel/trace.ts';

export interface OpenAiCompatibleOptions {
  /** The server's address: `http://127.0.0.1:11434`, or up to `/v1`, or up to `/chat/completions`. */
  readonly url: string;
  readonly key?: string | undefined;
  /** The first model that the server lists, unless given. */
  readonly model?: string | undefined;
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
}

const TIMEOUT_MS = 15_000;
const ANSWER_LIMIT = 1_000_000;

/** A language model behind any endpoint with OpenAI's chat API, such as Ollama. */
export const openAiCompatibleLlm = (options: OpenAiCompatibleOptions): Llm => {
  const base = baseOf(options.url);
  const call = options.fetch ?? fetch;
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (options.key !== undefined) headers.authorization = `Bearer ${options.key}`;
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;

  const request = async (path: string, body: unknown, signal: AbortSignal): Promise<Response> => {
    const init =
      body === undefined ? { headers, signal } : { method: 'POST', headers, body: JSON.stringify(body), signal };
    return await inSpan('language model', { path }, () => call(`${base}${path}`, init), 'client');
  };

  // All callers share it, so it must not end with the first one's request.
  const firstModel = lazyAsync(async (): Promise<string> => {
    const listed = await readJson(await request('/models', undefined, AbortSignal.timeout(timeoutMs)));
    const first = isObject(listed) && Array.isArray(listed.data) ? listed.data[0] : undefined;
    if (isObject(first) && typeof first.id === 'string') return first.id;
    throw new Fault('Unavailable', `the language model at ${base} lists no model; name one in ASSAY_LLM_MODEL`);
  });

  return {
    complete: async (messages, schema, outer) => {
      const limit = AbortSignal.timeout(timeoutMs);
      const signal = outer === undefined ? limit : AbortSignal.any([outer, limit]);
      const model = options.model ?? (await firstModel());
      const ask = (format: unknown, texts: readonly LlmMessage[]): Promise<Response> =>
        request(
          '/chat/completions',
          { model, messages: texts, temperature: 0, stream: false, response_format: format },
          signal,
        );
      const strict = await ask({ type: 'json_schema', json_schema: { name: 'answer', schema } }, messages);
      // Servers without schema support answer 400 or 422; they may still support plain JSON.
      const answer =
        strict.status === 400 || strict.status === 422
          ? await ask({ type: 'json_object' }, withSchema(messages, schema))
          : strict;
      return parseContent(await readJson(answer));
    },
  };
};

const baseOf = (url: string): string => {
  const plain = url.replace(/\/+$/u, '').replace(/\/chat\/completions$/u, '');
  return /\/v\d+(?:beta)?$|\/openai$/u.test(plain) ? plain : `${plain}/v1`;
};

const withSchema = (messages: readonly LlmMessage[], schema: JsonSchema): readonly LlmMessage[] => [
  ...messages,
  { role: 'user', content: `Answer with JSON of this schema:\n${JSON.stringify(schema)}` },
];

const readJson = async (response: Response): Promise<unknown> => {
  const text = await response.text();
  if (!response.ok)
    throw new Fault('Unavailable', `the language model answered ${response.status}: ${text.slice(0, 200)}`);
  if (text.length > ANSWER_LIMIT)
    throw new Fault(
      'Unavailable',
      `the language model answered ${text.length} characters; the limit is ${ANSWER_LIMIT}`,
    );
  return parse(text);
};

const parseContent = (answer: unknown): unknown => {
  const choice = isObject(answer) && Array.isArray(answer.choices) ? answer.choices[0] : undefined;
  const message = isObject(choice) ? choice.message : undefined;
  const content = isObject(message) ? message.content : undefined;
  if (typeof content !== 'string') throw new Fault('Unavailable', 'the language model gave no text');
  return parse(content.replace(/^\s*```(?:json)?\s*|\s*```\s*$/gu, ''));
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault('Unavailable', `the language model gave no JSON: ${text.slice(0, 100)}`);
  }
};
