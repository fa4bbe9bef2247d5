import { anthropicRecordings } from './anthropic.ts';
import { chatRecordings } from './chat.ts';
import { geminiRecordings } from './gemini.ts';
import { otherRecordings } from './others.ts';
import type { Recording } from './recording.ts';
import { responsesRecordings } from './responses.ts';

export const recordings: readonly Recording[] = [
  ...anthropicRecordings,
  ...chatRecordings,
  ...responsesRecordings,
  ...geminiRecordings,
  ...otherRecordings,
];
