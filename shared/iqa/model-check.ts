import { Fault, messageOf } from '../kernel/errors.ts';
import type { IqaEngine, LearnedModel, ModelInterface, ModelValue } from './engine.ts';
import type { IqaTool } from './metadata.ts';
import type { Size } from './metric.ts';
import { SAMPLE_SIZES, samplePicture } from './model-sample.ts';
import type { Preprocessing } from './preprocess.ts';

/** Refuses a model whose inputs or outputs do not fit the tool. */
export const requireInterface = (
  tool: IqaTool,
  { inputs, outputs }: ModelInterface,
  preprocessing: Preprocessing,
): void => {
  const pictures = tool.type === 'FR' ? 2 : 1;
  const refuse = (what: string): never => {
    throw new Fault('InvalidInput', `this is no model of ${tool.name}: ${what}`, { tool: tool.name, inputs, outputs });
  };
  if (inputs.length !== pictures) {
    const wanted = pictures === 2 ? 'picture and reference, 2 inputs' : 'one picture, 1 input';
    refuse(
      `${tool.name} takes ${wanted}, the model has ${inputs.length} (${inputs.map(({ name }) => name).join(', ')})`,
    );
  }
  const missing = preprocessing.inputs?.find((name) => !inputs.some((input) => input.name === name));
  if (missing !== undefined) refuse(`the preprocessing names the input ${missing}, which the model does not have`);
  for (const input of inputs) {
    const flaw = findInputFlaw(input, preprocessing) ?? findSizeFlaw(input, preprocessing);
    if (flaw !== undefined) refuse(flaw);
  }
  const { output } = preprocessing;
  if (output === undefined && outputs.length > 1)
    refuse(
      `it has ${outputs.length} outputs (${outputs.map(({ name }) => name).join(', ')}); name the score: --preprocessing '{"output": "${outputs[0]?.name}"}'`,
    );
  if (outputs.length === 0 || (output !== undefined && !outputs.some(({ name }) => name === output))) {
    refuse(
      output === undefined ? 'it has no output; export it with one' : `it has no output ${output}; export it with one`,
    );
  }
};

const findInputFlaw = ({ name, type, shape }: ModelValue, { layout }: Preprocessing): string | undefined => {
  const shown = `${type} [${shape.map((side) => side ?? '?').join(', ')}]`;
  if (!type.includes('float'))
    return `input ${name} is ${shown}; pictures enter as float32, so put a Cast into the model`;
  const channels = shape[layout === 'NCHW' ? 1 : 3];
  const fits = shape.length === 4 && (typeof channels !== 'number' || channels === 3);
  return fits ? undefined : `input ${name} is ${shown}; a picture is ${layout} with 3 channels`;
};

/** A network with a fixed input size fails on other pictures unless preprocessing resizes them to it. */
const findSizeFlaw = ({ name, shape }: ModelValue, { layout, resize, crop }: Preprocessing): string | undefined => {
  const [height, width] = layout === 'NCHW' ? [shape[2], shape[3]] : [shape[1], shape[2]];
  if (typeof height !== 'number' && typeof width !== 'number') return undefined;
  if (resize?.fit === 'exact' || (crop && 'size' in crop)) return undefined;
  const side = typeof height === 'number' ? height : width;
  return `input ${name} takes pictures of ${height ?? 'any'} x ${width ?? 'any'} only; export it with free sizes (assay models recipe), or say how pictures get there: --preprocessing '{"resize": {"size": ${side}, "fit": "exact"}}'`;
};

/**
 * Scores sample pictures of two sizes, and of those the model was exported with. Refuses a model that fails on them or
 * gives no finite number.
 */
export const sampleScores = async (
  engine: IqaEngine,
  tool: IqaTool,
  model: LearnedModel,
  exportedSizes: readonly Size[] = [],
): Promise<readonly SampleScore[]> => {
  const found: SampleScore[] = [];
  for (const size of [
    ...SAMPLE_SIZES,
    ...exportedSizes.filter((own) => !SAMPLE_SIZES.some((size) => isSame(size, own))),
  ])
    found.push({ ...size, score: await scoreSample(engine, tool, model, size) });
  return found;
};

const isSame = (a: Size, b: Size): boolean => a.width === b.width && a.height === b.height;

export interface SampleScore extends Size {
  readonly score: number;
}

const scoreSample = async (engine: IqaEngine, tool: IqaTool, model: LearnedModel, size: Size): Promise<number> => {
  const shown = `a sample picture of ${size.width} x ${size.height}`;
  let score: number;
  try {
    const reference = tool.type === 'FR' ? samplePicture(0, size) : undefined;
    score = await engine.score({ tool: tool.name, picture: samplePicture(12, size), reference, model });
  } catch (thrown) {
    const text = `the model of ${tool.name} does not run on ${shown}: ${messageOf(thrown)}; check its preprocessing`;
    throw new Fault('InvalidInput', text, { tool: tool.name }, { cause: thrown });
  }
  if (Number.isFinite(score)) return score;
  throw new Fault('InvalidInput', `the model of ${tool.name} gives ${score} for ${shown}; export it again`, {
    tool: tool.name,
  });
};

/** Refuses a model whose scores differ from those PyTorch gave when it was exported. */
export const requireScores = (tool: IqaTool, found: readonly SampleScore[], wanted: readonly SampleScore[]): void => {
  for (const { width, height, score } of wanted) {
    const own = found.find((each) => isSame(each, { width, height }))?.score;
    if (own === undefined || Math.abs(own - score) <= 1e-3 * Math.max(1, Math.abs(score))) continue;
    throw new Fault(
      'InvalidInput',
      `the model of ${tool.name} gives ${own} for the sample picture of ${width} x ${height}, PyTorch gave ${score} when it was exported; check its preprocessing`,
      { tool: tool.name, score: own, expected: score },
    );
  }
};
