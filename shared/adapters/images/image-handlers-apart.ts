import type { Metadata } from 'sharp';
import type { ReadImage } from '../../iqa/image-source.ts';
import type { CallContext, Handler } from '../../kernel/ports.ts';
import type { BuiltinJob } from '../node/builtin-child.ts';
import type { ChildPool } from '../node/child-pool.ts';
import type { NodeGauge } from '../node/gauge.ts';
import { runApart } from '../node/run-apart.ts';
import { imageToolsByName } from './image-tools-by-name.ts';
import type { PictureBudget } from './picture-budget.ts';
import { defaultLimits, type PictureLimits } from './picture-formats.ts';
import { readPicture } from './read-picture.ts';
import { bytesToDecode, bytesToWrite } from './working-memory.ts';

interface Options {
  readonly readImage: ReadImage;
  readonly pool: ChildPool;
  readonly budget: PictureBudget;
  readonly gauge: Pick<NodeGauge, 'forCall'>;
  readonly limits?: PictureLimits | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;

/**
 * The image tools in a separate process, which is killed at their timeout and returns all memory of decoding. This
 * process reads only the header: a picture that is too large is refused, and others wait until there is memory.
 */
export const imageHandlersApart = (options: Options): ReadonlyMap<string, Handler> => {
  const { readImage, pool, budget, gauge, limits = defaultLimits } = options;
  /** Of the pictures as RGBA, of decoding them, and of what is written; a header alone takes nothing. */
  const bytesFor = (name: string, args: Arguments, pictures: readonly Metadata[]): number => {
    if (name === 'image_info') return 0;
    const read = pictures.reduce((sum, each) => sum + each.width * each.height * 4 + bytesToDecode(each), 0);
    const [picture] = pictures;
    return read + (picture === undefined || name === 'image_compare' ? 0 : bytesToWrite(args, picture, limits));
  };
  const run = async (name: string, args: Arguments, context: CallContext): Promise<unknown> => {
    const fields = ['image', 'reference'].filter((field) => args[field] !== undefined);
    const pictures = await Promise.all(
      fields.map((field) => readPicture(args[field], field, context.tenant, readImage, limits)),
    );
    const bytes = bytesFor(
      name,
      args,
      pictures.map(({ metadata }) => metadata),
    );
    const { promise: turn, resolve: started } = Promise.withResolvers<void>();
    context.waits?.(turn);
    const giveBack = await budget.reserve(context.tenant, bytes, context.signal);
    try {
      const job: BuiltinJob = {
        name,
        args: { ...args, ...Object.fromEntries(fields.map((field) => [field, { key: field }])) },
        limits,
        pictures: Object.fromEntries(fields.map((field, at) => [field, pictures[at]?.bytes ?? new Uint8Array()])),
      };
      return await runApart(pool, job, { ...context, signal: context.signal, waits: undefined }, gauge, started);
    } finally {
      giveBack();
    }
  };
  return new Map(
    Object.entries(imageToolsByName).map(([name, tool]) => [
      name,
      {
        permission: 'safe',
        get parameters() {
          return tool().definition.parameters;
        },
        run: (args, context) => run(name, args, context),
      },
    ]),
  );
};
