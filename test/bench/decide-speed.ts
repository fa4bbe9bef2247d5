import { encodeBenchmark, openEncoder } from '../../metadata/fit/encode-benchmark.ts';
import { depsFor, loadBenchmark, type Query } from '../../metadata/fit/selection-data.ts';
import { findEncoderFiles } from '../../shared/adapters/onnx/encoder-files.ts';
import { decide } from '../../shared/decide/decide.ts';
import type { DecideDeps } from '../../shared/decide/decision.ts';
import type { Tool } from '../../shared/model/tool.ts';
import { summary } from './report.ts';

const [USUAL, VAST] = [4000, 100_000];
const ASKED = 300;
const LATER = 3;

/**
 * The cost of a decision among many tools, by words and with the sentence encoder, whose thread is included:
 *   npm run bench -- decide-speed --data <directory> [--vectors <directory>]
 */
export const bench = async (args: readonly string[]): Promise<void> => {
  const option = (name: string): string | undefined => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const directory = option('--data');
  if (directory === undefined) throw new Error('name the data: npm run bench -- decide-speed --data <directory>');
  const { queries, deps } = loadBenchmark(directory, 'sealtools');
  const tools = [...(deps.names?.() ?? [])].flatMap((name) => deps.tool(name) ?? []);
  const asked = spreadOver(queries, ASKED);
  // The first requests include compiling code and reading tools, so requests of a warm process are measured as well.
  const later = spreadOver(
    queries.filter((query) => !asked.includes(query)),
    ASKED * LATER,
  );
  for (const size of [USUAL, VAST]) {
    const many = manyOf(tools, size);
    await print(`${size} tools`, asked, many);
    await print(`${size} tools, later requests`, later, many);
  }
  if (findEncoderFiles() === undefined) return console.log('the sentence encoder is not installed');
  const encoder = await openEncoder();
  const many = manyOf(tools, USUAL);
  // Only the tools are encoded beforehand; each request is encoded when it is asked.
  await encodeBenchmark({ name: 'sealtools', queries: [], deps: many }, encoder, option('--vectors'));
  const encode = (task: string) => many.index.encode(task, encoder.encodeRequest);
  await print(`${USUAL} tools, encoder`, asked, { ...many, encode });
  await encoder.close();
};

const print = async (label: string, queries: readonly Query[], deps: DecideDeps): Promise<void> => {
  const times: number[] = [];
  const before = process.cpuUsage();
  for (const { query } of queries) {
    const start = performance.now();
    await decide({ task: query }, deps);
    times.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(before);
  const { p50, p95 } = summary(times);
  const cpu = (user + system) / 1000 / times.length;
  console.log(
    `${`speed with ${label}`.padEnd(34)} n ${times.length}  ${cpu.toFixed(2)} ms of CPU a decision  median ${p50.toFixed(2)} ms  95 % ${p95.toFixed(2)} ms  first ${times[0]?.toFixed(0)} ms`,
  );
};

/** Evenly spaced requests of a benchmark, because its requests are sorted by kind. */
const spreadOver = (queries: readonly Query[], count: number): readonly Query[] =>
  queries.filter(
    (_, at) => Math.floor((at * count) / queries.length) !== Math.floor(((at - 1) * count) / queries.length),
  );

/** Repeats the tools under new names up to the size. */
const manyOf = (tools: readonly Tool[], size: number): DecideDeps =>
  depsFor(
    Array.from({ length: size }, (_, at) => {
      const tool = tools[at % tools.length] as Tool;
      return at < tools.length ? tool : { ...tool, name: `${tool.name}_${Math.floor(at / tools.length)}` };
    }),
  );
