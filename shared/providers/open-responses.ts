import { openaiStrictForm } from './chat.ts';
import { definer, provider } from './definer.ts';
import { FUNCTION_NAME } from './names.ts';
import { type ResponsesMessage, type ResponsesTool, responsesMessage, responsesTool } from './openai-responses.ts';
import { responsesReader } from './stream/responses-reader.ts';

export type OpenResponsesTool = ResponsesTool;
export type OpenResponsesMessage = ResponsesMessage;

/** The open form of the Responses API, as LM Studio, vLLM, Hugging Face and others serve it: function tools only. */
export const openResponsesForm = /* @__PURE__ */ definer({
  label: 'Open Responses',
  names: FUNCTION_NAME,
  entry: responsesTool,
  strict: openaiStrictForm,
  remarks: (options) => (options.defer ? ['Open Responses cannot defer definitions: use mode=search'] : []),
});

export const openResponses = /* @__PURE__ */ provider(openResponsesForm, {
  names: FUNCTION_NAME,
  reader: responsesReader,
  format: (results): readonly OpenResponsesMessage[] => results.map(responsesMessage),
});
