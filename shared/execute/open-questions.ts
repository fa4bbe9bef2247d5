import * as z from 'zod';
import { Fault } from '../kernel/errors.ts';
import { stored } from '../kernel/stored.ts';

const MAX_OPEN = 50;
const MAX_BYTES = 16_000_000;

const OpenQuestion = z.object({
  /** SHA-256 of the tool, its digest and its arguments. */
  question: z.string(),
  token: z.string(),
  /** The size of its stored arguments. */
  bytes: z.int(),
  expires_at: z.iso.datetime(),
});
export type OpenQuestion = Readonly<z.infer<typeof OpenQuestion>>;

const OpenQuestions = z.object({ open: z.array(OpenQuestion) });

/** The confirmations of one key that are undecided, or approved and not used yet. */
export const OpenQuestionsItem = stored<Readonly<z.infer<typeof OpenQuestions>>>({
  what: 'list of open confirmations',
  schema: OpenQuestions,
  cure: 'it is forgotten within ten minutes; call again then',
});

export const findOpen = (open: readonly OpenQuestion[], question: string, now: number): OpenQuestion | undefined =>
  open.find((each) => each.question === question && Date.parse(each.expires_at) > now);

/** Adds a question; refuses when too many of this key's questions are open. */
export const addOpen = (open: readonly OpenQuestion[], added: OpenQuestion, now: number): readonly OpenQuestion[] => {
  const waiting = open.filter(({ expires_at }) => Date.parse(expires_at) > now);
  const bytes = waiting.reduce((sum, each) => sum + each.bytes, added.bytes);
  if (waiting.length < MAX_OPEN && bytes <= MAX_BYTES) return [...waiting, added];
  const ends = Math.min(...waiting.map(({ expires_at }) => Date.parse(expires_at)));
  throw new Fault(
    'RateLimited',
    `${waiting.length} calls of this key wait for a person's consent, and at most ${MAX_OPEN} (${MAX_BYTES / 1e6} MB of arguments) may; have them decided (GET /v1/confirmations), or try again when the oldest has expired`,
    { waiting: waiting.length, max: MAX_OPEN, retry_after_seconds: Math.max(1, Math.ceil((ends - now) / 1000)) },
  );
};

export const removeOpen = (open: readonly OpenQuestion[], token: string): readonly OpenQuestion[] =>
  open.filter((each) => each.token !== token);
