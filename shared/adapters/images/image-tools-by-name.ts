import type { ReadImage } from '../../iqa/image-source.ts';
import type { Handler } from '../../kernel/ports.ts';
import { type ImageTool, imageCompare, imageConvert, imageInfo, imageResize } from './image-tools.ts';
import { defaultLimits } from './picture-formats.ts';

/** The tools on pictures, each asked for when it is needed. */
export const imageToolsByName: Readonly<Record<string, () => ImageTool>> = {
  image_info: () => imageInfo,
  image_resize: () => imageResize,
  image_convert: () => imageConvert,
  image_compare: () => imageCompare,
};

/** The functions behind them, on pictures of the calling tenant. */
export const imageHandlers = (readImage: ReadImage, limits = defaultLimits): ReadonlyMap<string, Handler> =>
  new Map(
    Object.entries(imageToolsByName).map(([name, tool]) => [
      name,
      {
        permission: 'safe',
        get parameters() {
          return tool().definition.parameters;
        },
        run: (args, { tenant }) => tool().run(args, tenant, readImage, limits),
      },
    ]),
  );
