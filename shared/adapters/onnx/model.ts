import { InferenceSession } from 'onnxruntime-node';
import type { LearnedModel, ModelInterface, ModelValue } from '../../iqa/engine.ts';
import type { Pixels } from '../../iqa/pixels.ts';
import { prepare, readScore } from '../../iqa/prepare.ts';
import { Fault, messageOf } from '../../kernel/errors.ts';
import { type Sessions, tensorOf } from './sessions.ts';

/** Runs a learned model on a picture, or on a picture and its reference in this order. */
export async function runModel(
  sessions: Sessions,
  tool: string,
  model: LearnedModel,
  picture: Pixels,
  reference?: Pixels,
): Promise<number> {
  const session = await sessions.ofFile(model.path, model.digest);
  const pictures = reference ? [picture, reference] : [picture];
  const names = model.preprocessing.inputs ?? session.inputNames;
  if (names.length < pictures.length) {
    const text = `the model of ${tool} takes ${names.length} picture (${names.join(', ')}), not ${pictures.length}`;
    throw new Fault('InvalidInput', text, { tool, inputs: names });
  }
  const feeds = pictures.map((pixels, index) => [names[index] ?? '', tensorOf(prepare(pixels, model.preprocessing))]);
  const output = model.preprocessing.output ?? session.outputNames[0] ?? '';
  const outputs = await session.run(Object.fromEntries(feeds), [output]);
  return readScore(Array.from(outputs[output]?.data as Iterable<number | bigint>, Number), model.preprocessing, tool);
}

/** Opens a file as a model, on the processor, to see what it takes and gives. */
export async function inspectModel(path: string): Promise<ModelInterface> {
  const session = await InferenceSession.create(path, { logSeverityLevel: 3 }).catch((thrown: unknown) => {
    const text = `${path} does not open as an ONNX model: ${messageOf(thrown)}; export it anew, with external data beside it`;
    throw new Fault('InvalidInput', text, { path }, { cause: thrown });
  });
  try {
    return { inputs: session.inputMetadata.map(describe), outputs: session.outputMetadata.map(describe) };
  } finally {
    await session.release();
  }
}

function describe(value: InferenceSession.ValueMetadata): ModelValue {
  if (!value.isTensor) return { name: value.name, type: 'not a tensor', shape: [] };
  // A dimension without a size comes as its name, or as an empty one.
  const shape = value.shape.map((size) => (size === '' || size === -1 ? null : size));
  return { name: value.name, type: value.type, shape };
}
