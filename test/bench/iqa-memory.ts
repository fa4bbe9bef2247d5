import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onnxEngine } from '../../shared/adapters/onnx/engine.ts';
import { recordingLog } from '../support/recording-log.ts';
import { jpegPair } from './iqa-pictures.ts';
import { judge, printTable } from './report.ts';

const megabyte = 1e6;

/** Peak memory of scoring two 100-megapixel pictures, and growth over 500 scores, each in a separate process. */
export async function benchMemory(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'assay-bench-'));
  try {
    const large = await writePair(directory, 'large', 11_550, 8_660);
    const rows = [];
    for (const tool of ['psnr', 'ssim', 'ms_ssim', 'gmsd']) {
      const { value, peak } = await inOwnProcess('peak', tool, ...large);
      rows.push({ '100 megapixels': tool, score: value.toFixed(6), 'peak, MB': peak });
      judge(`${tool} of 100 megapixels stays below 900 MB`, peak < 900);
    }
    printTable(rows);
    const { growth } = await inOwnProcess('growth', 'ssim', ...(await writePair(directory, 'small', 1024, 768)));
    judge(`500 scores grow memory by ${growth} MB after the first 50, less than 50`, growth < 50);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function writePair(directory: string, name: string, width: number, height: number) {
  const files = await jpegPair(width, height);
  const paths = files.map((_, index) => join(directory, `${name}-${index}.jpg`));
  await Promise.all(files.map((file, index) => writeFile(paths[index] ?? '', file)));
  return paths;
}

async function inOwnProcess(mode: string, ...args: readonly string[]) {
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), mode, ...args]);
  return JSON.parse(stdout) as { value: number; peak: number; growth: number };
}

async function measurePeak(tool: string, first: string, second: string): Promise<unknown> {
  const engine = onnxEngine({ log: recordingLog() });
  const reference = await engine.decode(await readFile(first));
  const picture = await engine.decode(await readFile(second));
  const value = await engine.score({ tool, picture, reference });
  await engine.close();
  return { value, peak: Math.round((process.resourceUsage().maxRSS * 1024) / megabyte) };
}

async function measureGrowth(tool: string, first: string, second: string): Promise<unknown> {
  const engine = onnxEngine({ log: recordingLog() });
  const files = await Promise.all([readFile(first), readFile(second)]);
  let [start, most] = [0, 0];
  for (let count = 1; count <= 500; count++) {
    const [reference, picture] = await Promise.all(files.map((file) => engine.decode(file)));
    if (reference && picture) await engine.score({ tool, picture, reference });
    if (count === 50) start = process.memoryUsage.rss();
    if (count > 50) most = Math.max(most, process.memoryUsage.rss());
  }
  await engine.close();
  return { growth: Math.round((most - start) / megabyte) };
}

const [mode, tool = '', first = '', second = ''] = process.argv.slice(2);
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const measure = mode === 'growth' ? measureGrowth : measurePeak;
  console.log(JSON.stringify(await measure(tool, first, second)));
}
