import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface BuiltEdge {
  readonly file: string;
  readonly bytes: number;
  /** The modules in the bundle. */
  readonly inputs: readonly string[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Bundles an entry as the edge function is bundled for deployment. */
export const buildEdge = async (file: string, entry = 'functions/edge/index.ts'): Promise<BuiltEdge> => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    legalComments: 'none',
    logLevel: 'silent',
    metafile: true,
  });
  const [output] = Object.values(metafile.outputs);
  const used = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return { file, bytes: (await stat(file)).size, inputs: used.map(([path]) => path) };
};
