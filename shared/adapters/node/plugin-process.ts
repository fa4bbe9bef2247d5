import { failure } from '../../execute/output.ts';
import { messageOf } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import type { CallContext, ResourceUsage } from '../../kernel/ports.ts';
import { type Child, startChild } from './child.ts';
import type { Thrown } from './child-pool.ts';
import type { NodeGauge } from './gauge.ts';
import type { FromPlugin, LoadedTool, ToPlugin } from './plugin-messages.ts';
import { toError, toThrown } from './thrown.ts';

/** A process that runs one plugin module. */
export interface PluginProcess {
  readonly tools: Promise<readonly LoadedTool[]>;
  run(tool: number, args: unknown, context: CallContext): Promise<unknown>;
  /** Whether it accepts calls; after an aborted call it must first answer a ping. */
  isReady(): Promise<boolean>;
  /** Ends the process when its last call has ended. */
  retire(): void;
}

interface Options {
  readonly gauge: Pick<NodeGauge, 'forCall'>;
  readonly loadMs: number;
  readonly silentMs: number;
  readonly nodeOptions?: readonly string[] | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

interface Running {
  readonly context: CallContext;
  readonly spent: (usage: ResourceUsage) => void;
  readonly resolve: (output: unknown) => void;
  readonly reject: (reason: Error) => void;
}

const childFile = new URL('./plugin-child.ts', import.meta.url);
const MEMORY_MB = 1024;

export const startPlugin = (file: string, { gauge, loadMs, silentMs, nodeOptions, env }: Options): PluginProcess => {
  const running = new Map<number, Running>();
  const loading = Promise.withResolvers<readonly LoadedTool[]>();
  let last = 0;
  let ready = true;
  let isRetired = false;
  let checking: PromiseWithResolvers<boolean> | undefined;

  const onEnd = (reason: Error): void => {
    ready = false;
    loading.reject(reason);
    checking?.resolve(false);
    for (const { reject } of running.values()) reject(reason);
    running.clear();
  };
  const child: Child = startChild({
    file: childFile,
    args: [file],
    memoryMb: MEMORY_MB,
    isTrusted: true,
    nodeOptions,
    env,
    onEnd,
    onMessage: (message: FromPlugin) => {
      if ('pong' in message) checking?.resolve(true);
      else if ('said' in message) hear(running.get(message.said)?.context, message, child.send);
      else if ('ran' in message) settle(finish(message.ran), message);
      else if ('tools' in message) {
        loading.resolve(message.tools);
        rest();
      } else {
        loading.reject(new Error(message.broken));
        child.kill();
      }
    },
  });
  const rest = (): void => {
    if (running.size > 0) return;
    child.hold(false);
    if (isRetired) child.kill();
  };
  const finish = (id: number): Running | undefined => {
    const call = running.get(id);
    running.delete(id);
    rest();
    return call;
  };
  const late = setTimeout(() => {
    loading.reject(new Error(`did not load within ${loadMs / 1000} s`));
    child.kill();
  }, loadMs);
  void loading.promise.catch(() => {}).finally(() => clearTimeout(late));

  // A process that does not answer is stuck in a call and is killed, with all its calls.
  const check = (): void => {
    if (!ready || checking) return;
    checking = Promise.withResolvers();
    const timer = setTimeout(() => child.kill(), silentMs);
    void checking.promise.finally(() => {
      clearTimeout(timer);
      checking = undefined;
    });
    child.send({ ping: 1 } satisfies ToPlugin);
  };
  const abort = (id: number, reason: Error): void => {
    if (!running.has(id)) return;
    child.send({ abort: id } satisfies ToPlugin);
    finish(id)?.reject(reason);
    check();
  };

  return {
    tools: loading.promise,
    isReady: async () => (checking ? checking.promise : ready),
    retire() {
      isRetired = true;
      rest();
    },
    async run(tool, args, context) {
      const spent = gauge.forCall();
      await loading.promise;
      const { signal } = context;
      // The call may have timed out before the process was ready; nothing would end it if it started now.
      if (signal.aborted) throw signal.reason;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const id = ++last;
      if (!ready) throw failure('ProcessEnded', 'the plugin ended its process');
      running.set(id, { context, spent, resolve, reject });
      child.hold(true);
      signal.addEventListener('abort', () => abort(id, signal.reason));
      child.send({ run: id, tool, args, ...toMessage(context) } satisfies ToPlugin);
      return promise;
    },
  };
};

const toMessage = ({ tenant, callId, tool, progress, client, allowed }: CallContext) => ({
  context: { tenant, callId, tool, allowed: allowed && [...allowed] },
  has: { progress: progress !== undefined, client: client !== undefined, request: client?.request !== undefined },
});

type Ended = { readonly usage: ResourceUsage } & ({ readonly text: string } | { readonly thrown: Thrown });

const settle = (call: Running | undefined, message: Ended): void => {
  if (!call) return;
  call.spent(message.usage);
  if ('text' in message) call.resolve(JSON.parse(message.text));
  else call.reject(toError(message.thrown));
};

/** Passes on a message of a running tool. An invalid one is logged and has no further effect. */
const hear = (context: CallContext | undefined, message: Said, send: (message: ToPlugin) => void): void => {
  if (!context) return;
  passOn(context, message, send).catch((thrown: unknown) =>
    context.log.warn('message of a plugin not passed on', { tool: context.tool.name, error: messageOf(thrown) }),
  );
};

type Said = Extract<FromPlugin, { readonly said: number }>;

const passOn = async (
  context: CallContext,
  { what, args, ask }: Said,
  send: (message: ToPlugin) => void,
): Promise<void> => {
  const [first, second, third] = args;
  if (what === 'progress') context.progress?.(Number(first), second as number, third as string);
  else if (what === 'client-log') context.client?.log(first as 'info', second);
  else if (what !== 'client-request') context.log[what](String(first), toFields(second));
  if (ask === undefined) return;
  try {
    send({ answer: ask, value: await context.client?.request?.(first as never, second as never) });
  } catch (thrown) {
    send({ answer: ask, thrown: toThrown(thrown) });
  }
};

const toFields = (given: unknown): Readonly<Record<string, unknown>> | undefined =>
  given === undefined || isObject(given) ? given : { value: given };
