import { Fault, messageOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/ports.ts';
import type { IqaEngine, LearnedModel } from './engine.ts';
import type { IqaTool } from './metadata.ts';
import type { Pictures } from './open-images.ts';

export interface ToolRun extends Pictures {
  readonly tool: IqaTool;
  readonly model?: LearnedModel | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Runs one tool on decoded pictures and returns its raw score. Errors are logged and thrown as a fault. */
export const executeTool = async (
  { engine, log }: { readonly engine: IqaEngine; readonly log: Log },
  { tool, model, picture, reference, signal }: ToolRun,
): Promise<number> => {
  try {
    const raw = await engine.score({
      tool: tool.name,
      picture,
      reference: tool.type === 'FR' ? reference : undefined,
      model,
      signal,
    });
    if (Number.isFinite(raw)) return raw;
    throw new Fault('ToolExecutionError', `${tool.name} gave ${raw} for ${picture.name}`, { tool: tool.name });
  } catch (thrown) {
    const message = messageOf(thrown);
    // A picture the tool cannot score is the caller's error, not an incident.
    const level = thrown instanceof Fault && thrown.code === 'InvalidInput' ? 'info' : 'error';
    log[level]('image-quality tool failed', { tool: tool.name, image: picture.name, error: message });
    if (thrown instanceof Fault) throw thrown;
    throw new Fault(
      'ToolExecutionError',
      `${tool.name} failed on ${picture.name}: ${message}`,
      { tool: tool.name, image: picture.name },
      { cause: thrown },
    );
  }
};
