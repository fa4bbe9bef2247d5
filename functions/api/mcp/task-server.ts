import { type JSONRPCRequest, type Result, Server, type ServerContext } from '@modelcontextprotocol/server';

type Handle = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;

/** A server whose tool calls may return a task: the package would add an empty `content` to it. */
export class TaskServer extends Server {
  protected override _wrapHandler(method: string, handler: Handle): Handle {
    const handle = super._wrapHandler(method, handler);
    if (method !== 'tools/call') return handle;
    return async (request, ctx) => {
      const result = await handle(request, ctx);
      if (result.resultType !== 'task') return result;
      const { content: _, ...task } = result;
      return task;
    };
  }
}
