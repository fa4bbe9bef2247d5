import { stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseJsonFile } from '../../../shared/adapters/files/json-file.ts';
import { keepGraph } from '../../../shared/adapters/onnx/graph-files.ts';
import { readWeights } from '../../../shared/adapters/onnx/weight-files.ts';
import { requireLearned } from '../../../shared/iqa/choose-tools.ts';
import type { BuiltGraph } from '../../../shared/iqa/graph.ts';
import { describeGraph, type GraphDescription, graphsOf } from '../../../shared/iqa/metrics.ts';
import { recipeFor } from '../../../shared/iqa/model-recipe.ts';
import type { ModelRecord } from '../../../shared/iqa/model-record.ts';
import { Fault, messageOf } from '../../../shared/kernel/errors.ts';
import { graphFolder } from '../../compose/local-store.ts';
import { type Command, option, required, textOption } from '../command.ts';
import { createLocalIqa } from '../local-command.ts';
import { formatTable, shortTime } from '../output.ts';

export const modelsList: Command = {
  usage: 'models list',
  summary: 'Lists the model files of learned tools',
  async run(cli) {
    const models = await (await createLocalIqa(cli)).models.list();
    cli.output.result({ models }, () =>
      models.length === 0
        ? 'no models; add one with: assay models add topiq_nr file.onnx'
        : formatTable(models, [
            { title: 'TOOL', value: ({ tool }) => tool },
            { title: 'SHA-256', value: ({ sha256 }) => sha256.slice(0, 16) },
            {
              title: 'BYTES',
              right: true,
              value: ({ files }) => String(files.reduce((sum, { bytes }) => sum + bytes, 0)),
            },
            { title: 'ADDED', isWhole: true, value: ({ added_at }) => shortTime(added_at) },
          ]),
    );
    return 0;
  },
};

export const modelsAdd: Command = {
  usage: 'models add TOOL FILE.onnx [--preprocessing JSON]',
  summary: 'Checks a model file of a learned tool on a sample picture and stores it',
  options: { preprocessing: option('JSON', 'how pictures become input, where the file does not say it') },
  async run(cli) {
    const given = textOption(cli, 'preprocessing');
    const record = await (await createLocalIqa(cli)).models.add({
      tool: required(cli, 0, 'TOOL'),
      path: required(cli, 1, 'FILE.onnx'),
      preprocessing: given === undefined ? undefined : parseJsonFile('--preprocessing', given),
    });
    cli.output.result(
      record,
      () =>
        `${record.tool} is available: ${record.sha256.slice(0, 16)}, sample score ${record.sample_score}\n${comparedText(record)}\na running server sees it after POST /v1/reload`,
    );
    return 0;
  },
};

const comparedText = ({ compared_with = [] }: ModelRecord): string =>
  compared_with.length === 0
    ? 'compared with no reference value: the file came without scores (assay models recipe writes them)'
    : `as PyTorch scored it when exported: ${compared_with.map(({ width, height, score }) => `${score} (${width} x ${height})`).join(', ')}`;

export const modelsRecipe: Command = {
  usage: 'models recipe TOOL [--out FILE.py]',
  summary: 'Prints a Python script that exports a learned tool of IQA-PyTorch to the file that models add takes',
  options: { out: option('FILE', 'where it is written') },
  async run(cli) {
    const { catalogue } = await createLocalIqa(cli);
    const tool = requireLearned(catalogue, required(cli, 0, 'TOOL'));
    const script = recipeFor(tool);
    const out = textOption(cli, 'out');
    if (out !== undefined) await writeFile(out, script);
    cli.output.result({ tool: tool.name, script }, () => (out === undefined ? script : `written to ${out}`));
    return 0;
  },
};

export const modelsVerify: Command = {
  usage: 'models verify TOOL',
  summary: 'Checks a stored model’s digests and inputs and scores the sample picture again',
  async run(cli) {
    const record = await (await createLocalIqa(cli)).models.verify(required(cli, 0, 'TOOL'));
    const same = Math.abs(record.score_now - record.sample_score) <= 1e-4 * Math.max(1, Math.abs(record.sample_score));
    cli.output.result(
      { ...record, same },
      () =>
        `${record.tool}: sample score ${record.score_now}, ${same ? 'as when it was added' : `but ${record.sample_score} when it was added`}`,
    );
    return same ? 0 : 1;
  },
};

export const modelsShow: Command = {
  usage: 'models show TOOL [--out FILE.onnx]',
  summary: 'Shows the ONNX graphs of a shipped metric: inputs, outputs, operators and file',
  options: { out: option('FILE', 'where it is written') },
  async run(cli) {
    const graphs = graphsOf(required(cli, 0, 'TOOL'), readWeights);
    const out = textOption(cli, 'out');
    const folder = graphFolder(resolve(textOption(cli, 'data') ?? cli.environment.ASSAY_DATA));
    const keep =
      out === undefined ? async (graph: BuiltGraph) => keepGraph(folder, graph) : await saveTo(out, graphs.length);
    const files = await Promise.all(graphs.map((graph) => keep(graph).catch(notWritten)));
    const shown = graphs.map((graph, at) => ({ ...describeGraph(graph), file: files[at] }));
    cli.output.result(shown, () => shown.map(graphText).join('\n\n'));
    return 0;
  },
};

const graphText = ({ file, ...graph }: GraphDescription & { readonly file: string | undefined }): string => {
  const value = ({ name, type, shape }: GraphDescription['inputs'][number]) => `${name} ${type} [${shape.join(', ')}]`;
  const operators = Object.entries(graph.operators).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return [
    `${graph.name}: ${graph.nodes} nodes, ${graph.size_bytes} bytes`,
    `  sha256     ${graph.digest}`,
    `  inputs     ${graph.inputs.map(value).join('; ')}`,
    `  outputs    ${graph.outputs.map(value).join('; ')}`,
    `  operators  ${operators.map(([name, count]) => `${name} ${count}`).join(', ')}`,
    `  file       ${file}`,
  ].join('\n');
};

/** Where graphs are saved: one into the file itself, several into files beside it, or all into a folder. */
const saveTo = async (out: string, count: number) => {
  const isFolder = (await stat(out).catch(() => undefined))?.isDirectory() === true;
  const stem = out.replace(/\.onnx$/, '');
  return async ({ name, bytes }: BuiltGraph): Promise<string> => {
    const path = isFolder ? join(out, `${name}.onnx`) : count === 1 ? out : `${stem}.${name}.onnx`;
    await writeFile(path, bytes);
    return path;
  };
};

const notWritten = (cause: unknown): never => {
  throw new Fault(
    'Unavailable',
    `the graph cannot be written: ${messageOf(cause)}; name another place with --out`,
    {},
    { cause },
  );
};
