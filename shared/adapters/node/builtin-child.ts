import type { Arguments } from '../../execute/builtins/builtin.ts';
import { builtinsByName } from '../../execute/builtins/by-name.ts';
import { MAX_OUTPUT_BYTES, outputTooLarge } from '../../execute/output.ts';
import { sizeOfValue } from '../../kernel/within-time.ts';
import type { ImageTool } from '../images/image-tools.ts';
import { imageToolsByName } from '../images/image-tools-by-name.ts';
import { defaultLimits, type PictureLimits } from '../images/picture-formats.ts';
import type { Answer } from './child-pool.ts';
import { nodeGauge } from './gauge.ts';
import { endWithParent } from './orphan-watch.ts';
import { toThrown } from './thrown.ts';

/** The process of builtins that nothing in the server's own could stop. */
export interface BuiltinJob {
  readonly name: string;
  readonly args: Arguments;
  /** The bytes of pictures, under the keys that the arguments name. */
  readonly pictures?: Readonly<Record<string, Uint8Array>>;
  /** The limits of pictures, as configured for the server. */
  readonly limits?: PictureLimits;
}

/** A job as it is sent: a text passes at once, where a value of many parts would be copied part by part. */
export interface SentJob extends Omit<BuiltinJob, 'args'> {
  readonly args: string;
}

type Run = (job: BuiltinJob) => unknown;
const findRun = (name: string): Run | undefined => {
  const builtin = builtinsByName[name];
  if (builtin) return ({ args }) => builtin().run(args);
  const tool = imageToolsByName[name];
  return tool && onPictures(tool().run);
};
const gauge = nodeGauge();

function onPictures(run: ImageTool['run']): Run {
  return ({ args, pictures, limits = defaultLimits }) => run(args, '', async (_, key) => pictures?.[key], limits);
}

const answer = async ({ args, ...rest }: SentJob): Promise<Answer> => {
  const { name } = rest;
  const { result, usage } = await gauge.measure(async () => {
    const job = { ...rest, args: JSON.parse(args) as Arguments };
    const output = (await findRun(name)?.(job)) ?? null;
    // A text made by repeating takes no memory until it is written: JSON of half a gigabyte took one and a half.
    if (sizeOfValue(output, MAX_OUTPUT_BYTES) >= MAX_OUTPUT_BYTES) throw outputTooLarge(name);
    const text = JSON.stringify(output);
    // Here, before it is copied to the server.
    if (text.length > MAX_OUTPUT_BYTES) throw outputTooLarge(name);
    return text;
  });
  return result.status === 'fulfilled' ? { text: result.value, usage } : { thrown: toThrown(result.reason), usage };
};

endWithParent();
process.on('message', async (job: SentJob) => process.send?.(await answer(job)));
process.send?.({ ready: true });
