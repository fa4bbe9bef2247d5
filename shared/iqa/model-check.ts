import { Fault, messageOf } from '../kernel/errors.ts';
import type { IqaEngine, LearnedModel, ModelInterface, ModelValue, Picture } from './engine.ts';
import type { IqaTool } from './metadata.ts';
import type { Preprocessing } from './preprocess.ts';

/** Refuses a model whose inputs and outputs are not those of the tool. */
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
    const flaw = findInputFlaw(input, preprocessing);
    if (flaw !== undefined) refuse(flaw);
  }
  const { output } = preprocessing;
  if (outputs.length === 0 || (output !== undefined && !outputs.some(({ name }) => name === output))) {
    refuse(`it has no output ${output ?? ''}; export it with one`);
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

/** What a model gives for a fixed picture; a model that fails on it or gives no finite number is refused. */
export const sampleScore = async (engine: IqaEngine, tool: IqaTool, model: LearnedModel): Promise<number> => {
  let score: number;
  try {
    const reference = tool.type === 'FR' ? { reference: samplePicture(0) } : {};
    score = await engine.score({ tool: tool.name, picture: samplePicture(12), ...reference, model });
  } catch (thrown) {
    throw new Fault(
      'InvalidInput',
      `the model of ${tool.name} does not run on a sample picture: ${messageOf(thrown)}; check its preprocessing`,
      { tool: tool.name },
      { cause: thrown },
    );
  }
  if (Number.isFinite(score)) return score;
  throw new Fault('InvalidInput', `the model of ${tool.name} gives ${score} for a sample picture; export it anew`, {
    tool: tool.name,
  });
};

const WIDTH = 320;
const HEIGHT = 256;

/** Slopes and waves in three colours, with some noise; the same in every process. */
const samplePicture = (noise: number): Picture => {
  const data = new Uint8Array(new SharedArrayBuffer(WIDTH * HEIGHT * 3));
  let state = 1;
  for (let at = 0; at < data.length; at++) {
    const [x, y, channel] = [Math.floor(at / 3) % WIDTH, Math.floor(at / 3 / WIDTH), at % 3];
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const wave = 50 * Math.sin(x / (7 + 3 * channel)) * Math.cos(y / 11);
    data[at] = 128 + wave + (x - WIDTH / 2) / 5 + noise * (state / 2 ** 31 - 1);
  }
  return { name: 'the sample picture', format: 'raw', pixels: { width: WIDTH, height: HEIGHT, data }, notes: [] };
};
