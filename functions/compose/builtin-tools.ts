import { availableParallelism } from 'node:os';
import { fileDefinitions, fileHandlers } from '../../shared/adapters/files/file-tools.ts';
import { imageHandlersApart } from '../../shared/adapters/images/image-handlers-apart.ts';
import { imageHandlers, imageToolsByName } from '../../shared/adapters/images/image-tools-by-name.ts';
import type { PictureBudget } from '../../shared/adapters/images/picture-budget.ts';
import type { PictureLimits } from '../../shared/adapters/images/picture-formats.ts';
import { builtinHandlers } from '../../shared/adapters/node/builtin-handlers.ts';
import { type ChildPoolOptions, createChildPool } from '../../shared/adapters/node/child-pool.ts';
import type { NodeGauge } from '../../shared/adapters/node/gauge.ts';
import { builtinsByName } from '../../shared/execute/builtins/by-name.ts';
import type { ReadImage } from '../../shared/iqa/image-source.ts';
import type { Handler } from '../../shared/kernel/ports.ts';
import type { ToolDefinition } from '../../shared/model/tool.ts';
import { REGISTRY_SEARCH } from '../../shared/registry/search-tool.ts';

/** A tool whose definition is made only where it is asked for. */
export interface NamedTool {
  readonly name: string;
  readonly define: () => ToolDefinition;
}

export interface BuiltinTools {
  readonly tools: readonly NamedTool[];
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly close: () => void;
}

export interface BuiltinImages {
  readonly budget: PictureBudget;
  readonly limits?: PictureLimits | undefined;
}

interface Options {
  readonly gauge: NodeGauge;
  readonly readImage: ReadImage;
  /** A tenant's folder for files; without it there are no file tools. */
  readonly folderOf?: ((tenant: string) => string) | undefined;
  /** The module that the child process runs, if it is not beside the source. */
  readonly child?: URL;
  readonly pool?: Partial<ChildPoolOptions>;
  /** Runs the image tools in a separate process with this memory limit; without it they run in this process. */
  readonly images?: BuiltinImages | undefined;
}

const childFile = new URL('../../shared/adapters/node/builtin-child.ts', import.meta.url);

/** The builtin tools of every registry, and their handlers. */
export const builtinTools = ({
  gauge,
  readImage,
  folderOf,
  child = childFile,
  pool: limits,
  images,
}: Options): BuiltinTools => {
  const pool = createChildPool({ file: child, size: Math.max(2, availableParallelism()), ...limits });
  return {
    tools: [
      ...Object.entries({ ...builtinsByName, ...imageToolsByName }).map(([name, tool]) => ({
        name,
        define: () => tool().definition,
      })),
      ...(folderOf === undefined
        ? []
        : fileDefinitions.map((definition) => ({ name: definition.name, define: () => definition }))),
      { name: 'registry_search', define: () => REGISTRY_SEARCH },
    ],
    handlers: new Map([
      ...builtinHandlers(builtinsByName, pool, gauge),
      ...(images === undefined ? imageHandlers(readImage) : imageHandlersApart({ readImage, pool, gauge, ...images })),
      ...(folderOf === undefined ? [] : fileHandlers(folderOf)),
    ]),
    close: pool.close,
  };
};
