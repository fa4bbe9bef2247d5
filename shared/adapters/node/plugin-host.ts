import { pathToFileURL } from 'node:url';
import type { CallContext } from '../../kernel/ports.ts';
import type { NodeGauge } from './gauge.ts';
import { type Allowance, hideFolders } from './hide-folders.ts';
import { type PluginProcess, startPlugin } from './plugin-process.ts';

export interface PluginHostOptions {
  readonly gauge: Pick<NodeGauge, 'forCall'>;
  /** How long a module may take to load. */
  readonly loadMs?: number;
  /** How long a process whose call was ended may stay silent before it is ended too. */
  readonly silentMs?: number;
  /** Folders that plugins must not see, such as the one with our own secrets. */
  readonly hidden?: readonly string[];
  readonly allow?: readonly Allowance[] | undefined;
  /** The environment variables that plugins see; all of them unless given. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

export interface PluginHost {
  /** Loads a module's tools in a process of their own, anew each time; as a plugin exports them. */
  load(file: string): Promise<readonly unknown[]>;
}

/**
 * Runs plugins in processes of their own: one that calls process.exit, never returns, throws in a timer or runs out of
 * memory ends only its own process, and the next call starts a new one. A module keeps its state as long as its process.
 */
export const createPluginHost = (options: PluginHostOptions): PluginHost => {
  const { gauge, loadMs = 20_000, silentMs = 500, hidden, allow, env } = options;
  const processes = new Map<string, PluginProcess>();
  const start = (file: string): PluginProcess => {
    const plugin = startPlugin(pathToFileURL(file).href, {
      gauge,
      loadMs,
      silentMs,
      env,
      nodeOptions: hidden && hideFolders(hidden, allow),
    });
    processes.set(file, plugin);
    return plugin;
  };
  const run = async (file: string, tool: number, args: unknown, context: CallContext): Promise<unknown> => {
    const plugin = processes.get(file);
    const isReady = await plugin?.isReady();
    // Another call may have started a new process.
    const ready = isReady === true ? plugin : processes.get(file) === plugin ? start(file) : processes.get(file);
    return ready?.run(tool, args, context);
  };
  return {
    async load(file) {
      processes.get(file)?.retire();
      const tools = await start(file).tools;
      return tools.map(({ exported, canRun }, at) =>
        canRun
          ? { definition: exported, execute: (args: unknown, context: CallContext) => run(file, at, args, context) }
          : exported,
      );
    },
  };
};
