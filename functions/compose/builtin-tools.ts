import { fileDefinitions, fileHandlers } from '../../shared/adapters/files/file-tools.ts';
import { imageHandlers, imageTools } from '../../shared/adapters/images/image-tools.ts';
import { builtinHandlers } from '../../shared/adapters/node/builtin-handlers.ts';
import { createChildPool } from '../../shared/adapters/node/child-pool.ts';
import type { NodeGauge } from '../../shared/adapters/node/gauge.ts';
import { builtins } from '../../shared/execute/builtins/index.ts';
import type { ReadImage } from '../../shared/iqa/image-source.ts';
import type { Handler } from '../../shared/kernel/ports.ts';
import type { ToolDefinition } from '../../shared/model/tool.ts';
import { REGISTRY_SEARCH } from '../../shared/registry/search-tool.ts';

export interface BuiltinTools {
  readonly definitions: readonly ToolDefinition[];
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly close: () => void;
}

interface Options {
  readonly gauge: NodeGauge;
  readonly readImage: ReadImage;
  /** Where a tenant's files lie; without it there are no file tools. */
  readonly folderOf?: ((tenant: string) => string) | undefined;
  /** The module of the process that builtins run in, where it is not beside the source. */
  readonly child?: URL;
}

const childFile = new URL('../../shared/adapters/node/builtin-child.ts', import.meta.url);

/** The tools that come with every registry, and the functions behind them. */
export const builtinTools = ({ gauge, readImage, folderOf, child = childFile }: Options): BuiltinTools => {
  const pool = createChildPool({ file: child });
  return {
    definitions: [
      ...builtins.map(({ definition }) => definition),
      ...imageTools.map(({ definition }) => definition),
      ...(folderOf === undefined ? [] : fileDefinitions),
      REGISTRY_SEARCH,
    ],
    handlers: new Map([
      ...builtinHandlers(builtins, pool, gauge),
      ...imageHandlers(readImage),
      ...(folderOf === undefined ? [] : fileHandlers(folderOf)),
    ]),
    close: pool.close,
  };
};
