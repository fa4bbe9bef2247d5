import { listExecutions } from '../../shared/execute/executions.ts';
import { type SummarySpan, summariseCalls } from '../../shared/execute/summarise-calls.ts';
import type { Actor } from '../../shared/model/key.ts';
import type { Api, ApiContext } from './env.ts';
import { streamEvents } from './open-streams.ts';

const LOOK_MS = 1000;
const HEARTBEAT_MS = 15_000;
/** Pages reconnect by themselves; a stream that stayed open forever would outlive its key. */
const LONGEST_MS = 600_000;

/** The summary now and after every call, as server-sent events. Checking for changes reads one record. */
export const streamSummary = (c: ApiContext, api: Api, actor: Actor, span: SummarySpan): Response =>
  streamEvents(c, api, actor, async (out) => {
    const { clock, recorder } = api;
    const ends = clock.now() + LONGEST_MS;
    let latest: string | undefined;
    let saidAt = 0;
    while (!out.aborted && !out.closed && clock.now() < ends) {
      await recorder.flush();
      const { executions } = await listExecutions(api, actor, { limit: 1 });
      const newest = executions[0]?.call_id ?? '';
      if (newest !== latest) {
        latest = newest;
        saidAt = clock.now();
        await out.writeSSE({ event: 'summary', data: JSON.stringify(await summariseCalls(api, actor, span)) });
      } else if (clock.now() - saidAt >= HEARTBEAT_MS) {
        saidAt = clock.now();
        await out.write(': still here\n\n');
      }
      await out.sleep(LOOK_MS);
    }
  });
