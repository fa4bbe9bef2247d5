import { jsonLog } from '../../shared/adapters/files/json-log.ts';
import type { Assay } from '../../shared/assay.ts';
import type { CallContext, Clock, Log } from '../../shared/kernel/ports.ts';
import type { ToolSource } from '../../shared/registry/load.ts';

/** A tool of the embedding program: its definition, and the function behind it. */
export interface EmbeddedTool {
  readonly definition: Readonly<Record<string, unknown>>;
  execute(args: Readonly<Record<string, unknown>>, context: CallContext): unknown;
}

export interface CreateAssayOptions {
  /** The data directory, which other processes may share; without one, all data is in memory. */
  readonly data?: string;
  readonly tools?: readonly EmbeddedTool[];
  /** A folder for file tools; a data directory has one of its own. */
  readonly files?: string;
  /** ONNX Runtime's execution providers, such as `['cuda', 'cpu']`. */
  readonly providers?: readonly string[];
  /** By default, warnings and errors are written to stderr as JSON lines. */
  readonly log?: Log;
  readonly clock?: Clock;
}

/**
 * The product inside another program: registry, decision, execution, plans and image quality. It returns the context
 * for `executeTool`; `close` ends workers and closes files. No configuration file or environment variable is read.
 */
export const createAssay = async ({
  data,
  tools = [],
  files,
  providers,
  log,
  clock,
}: CreateAssayOptions = {}): Promise<Assay> => {
  // The program's own functions are trusted as their definitions declare.
  const embedded: ToolSource = { kind: 'plugin', source: 'createAssay', tools, trust: 'trusted' };
  // Imported here, because the pure core needs neither SQLite nor the native libraries.
  const [{ localAssay }, { readEnvironment }] = await Promise.all([
    import('../compose/local-assay.ts'),
    import('../compose/local-environment.ts'),
  ]);
  const settings = { ASSAY_FILES_DIR: files, ASSAY_PROVIDERS: providers && [...providers] };
  const environment = { ...readEnvironment({}), ...settings };
  return localAssay({ environment, data, clock, discover: async () => [embedded], log: log ?? quietLog() });
};

const quietLog = (): Log => ({ ...jsonLog((text) => void process.stderr.write(text)), info: () => {} });
