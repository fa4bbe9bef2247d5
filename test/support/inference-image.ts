import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { bundleFunction } from '../../infra/build/bundle.ts';
import { parseDockerfile } from './dockerfile.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Builds the image's content without Docker: its native packages, and the bundles beside them. */
export const buildImage = async (folder: string): Promise<void> => {
  const { stages } = parseDockerfile(readFileSync(join(root, 'functions/inference/Dockerfile'), 'utf8'));
  const [step] = stages.get('natives')?.instructions ?? [];
  const shell = spawn('sh', ['-ec', step?.text.replaceAll('/natives', folder) ?? ''], { cwd: root, stdio: 'inherit' });
  const [code] = (await once(shell, 'close')) as [number];
  if (code !== 0) throw new Error(`the native packages were not copied: ${code}`);
  const bundle = (entry: string, name: string) => bundleFunction({ entry, outdir: join(folder, name) });
  await bundle('functions/upload/index.ts', 'upload');
  await bundle('functions/inference/lambda.ts', 'lambda');
  await bundle('functions/inference/main.ts', 'batch');
};

export interface Job {
  /** Waits for a message in its log. */
  said(message: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<{ readonly code: number | null; readonly log: string }>;
}

/** Starts the Batch worker as the container does. */
export const startJob = (folder: string, env: Readonly<Record<string, string>>): Job => {
  const child = spawn(process.execPath, ['index.mjs'], {
    cwd: join(folder, 'batch'),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  reader.on('line', (line) => lines.push(line));
  child.stderr.setEncoding('utf8').on('data', (part: string) => lines.push(part));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, log: lines.join('\n') }));
  return {
    async said(message) {
      while (!lines.some((line) => line.includes(message))) {
        const over = await Promise.race([once(reader, 'line').then(() => undefined), ended]);
        if (over) throw new Error(`it ended with ${over.code}: ${over.log}`);
      }
    },
    kill: (signal) => child.kill(signal),
    ended,
  };
};
