import { anthropicRecordings } from './anthropic.ts';
import { chatRecordings } from './chat.ts';
import { conversationRecordings } from './conversations.ts';
import { geminiRecordings } from './gemini.ts';
import { otherRecordings } from './others.ts';
import type { Recording } from './recording.ts';
import { responsesRecordings } from './responses.ts';

export const recordings: readonly Recording[] = [
  ...anthropicRecordings,
  ...chatRecordings,
  ...conversationRecordings,
  ...responsesRecordings,
  ...geminiRecordings,
  ...otherRecordings,
];
