import { MAX_OUTPUT_BYTES, outputTooLarge } from '../../execute/output.ts';
import { messageOf } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { nodeGauge } from './gauge.ts';
import { endWithParent } from './orphan-watch.ts';
import type { FromPlugin, LoadedTool, Saying, ToPlugin } from './plugin-messages.ts';
import { toError, toThrown } from './thrown.ts';

/** The process of one plugin module: its tools run here, where they can end nothing but this. */

type Execute = (args: unknown, context: unknown) => unknown;
type RunMessage = Extract<ToPlugin, { readonly run: number }>;

const gauge = nodeGauge();
const functions: Execute[] = [];
const running = new Map<number, AbortController>();
const asked = new Map<number, PromiseWithResolvers<unknown>>();
const questions = { last: 0 };

const say = (message: FromPlugin): void => void process.send?.(message);

const load = async (file: string): Promise<readonly LoadedTool[]> => {
  const module: unknown = await import(file);
  const tools = isObject(module) ? module.tools : undefined;
  if (!Array.isArray(tools)) throw new Error('must export an array named tools');
  return tools.map((tool: unknown, at) => {
    const canRun = isObject(tool) && isObject(tool.definition) && typeof tool.execute === 'function';
    if (canRun) functions[at] = (args, context) => (tool.execute as Execute)(args, context);
    return { exported: canRun ? tool.definition : tool, canRun };
  });
};

const run = async (message: RunMessage): Promise<void> => {
  const controller = new AbortController();
  running.set(message.run, controller);
  const { result, usage } = await gauge.measure(async () => {
    const output = await functions[message.tool]?.(message.args, createContext(message, controller.signal));
    const text = JSON.stringify(output) ?? 'null';
    if (text.length > MAX_OUTPUT_BYTES) throw outputTooLarge('the tool');
    return text;
  });
  running.delete(message.run);
  if (result.status === 'fulfilled') say({ ran: message.run, text: result.value, usage });
  else say({ ran: message.run, thrown: toThrown(result.reason), usage });
};

const createContext = ({ run: id, context, has }: RunMessage, signal: AbortSignal): object => {
  const tell =
    (what: Saying) =>
    (...args: readonly unknown[]): void =>
      say({ said: id, what, args });
  const ask = (...args: readonly unknown[]): Promise<unknown> => {
    const question = ++questions.last;
    const pending = Promise.withResolvers<unknown>();
    asked.set(question, pending);
    say({ said: id, what: 'client-request', args, ask: question });
    return pending.promise;
  };
  return {
    ...context,
    signal,
    log: { info: tell('info'), warn: tell('warn'), error: tell('error') },
    progress: has.progress ? tell('progress') : undefined,
    client: has.client ? { log: tell('client-log'), request: has.request ? ask : undefined } : undefined,
  };
};

const answer = ({ answer: question, value, thrown }: Extract<ToPlugin, { readonly answer: number }>): void => {
  const pending = asked.get(question);
  asked.delete(question);
  if (thrown) pending?.reject(toError(thrown));
  else pending?.resolve(value);
};

endWithParent();
process.on('message', (message: ToPlugin) => {
  if ('run' in message) void run(message);
  else if ('abort' in message) running.get(message.abort)?.abort(new Error('the call was ended'));
  else if ('answer' in message) answer(message);
  else say({ pong: message.ping });
});

try {
  say({ tools: await load(process.argv[2] ?? '') });
} catch (thrown) {
  say({ broken: messageOf(thrown) });
}
