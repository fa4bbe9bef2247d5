import {
  createMcpHandler,
  InMemoryServerEventBus,
  type McpHttpHandler,
  type Server,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import { visibleTools } from '../../../shared/access/visible-tools.ts';
import type { Assay } from '../../../shared/assay.ts';
import { isObject } from '../../../shared/kernel/json.ts';
import type { Actor } from '../../../shared/model/key.ts';
import { type McpCaller, readCaller, toAuthInfo } from './caller.ts';

const LOOK_MS = 1000;
/** How many streams one key may have open; the MCP package refuses more. */
const MAX_STREAMS = 8;

/** Streams of `subscriptions/listen`, which notify a key when the list of its tools has changed. */
export interface Subscriptions {
  open(request: Request, body: unknown, caller: McpCaller): Promise<Response>;
}

export const createSubscriptions = (assay: Assay, serverFor: (caller: McpCaller) => Server): Subscriptions => {
  const listening = new Map<string, Listening>();
  return {
    async open(request, body, caller) {
      const id = `${caller.actor.tenant} ${caller.actor.keyId}`;
      const { handler, bus } = listening.get(id) ?? listen(assay, caller.actor, serverFor, () => listening.delete(id));
      listening.set(id, { handler, bus });
      const response = await handler.fetch(request, { parsedBody: body, authInfo: toAuthInfo(caller) });
      if (bus.isIdle()) listening.delete(id);
      return response;
    },
  };
};

interface Listening {
  readonly handler: McpHttpHandler;
  readonly bus: WatchingBus;
}

const listen = (assay: Assay, actor: Actor, serverFor: (caller: McpCaller) => Server, ended: () => void): Listening => {
  const bus = watchTools(assay, actor, ended);
  const handler = createMcpHandler(({ authInfo }) => serverFor(readCaller(authInfo)), {
    legacy: 'reject',
    maxSubscriptions: MAX_STREAMS,
    bus,
    onerror: (error) => assay.log.info('MCP subscription refused', { error: error.message }),
  });
  return { handler, bus };
};

export const isSubscription = (body: unknown): boolean => isObject(body) && body.method === 'subscriptions/listen';

interface WatchingBus extends ServerEventBus {
  isIdle(): boolean;
}

/** Polls the catalogue while somebody listens, and publishes only changes that this key can see. */
const watchTools = ({ catalogs, timers, log }: Assay, actor: Actor, ended: () => void): WatchingBus => {
  const bus = new InMemoryServerEventBus();
  const { only } = visibleTools(actor);
  let last: readonly unknown[] | undefined;
  let stop: (() => void) | undefined;
  let listeners = 0;
  const look = async (): Promise<void> => {
    const { catalog } = await catalogs.of(actor.tenant);
    const seen = only ? [...only].map((name) => catalog.get(name)) : [catalog, catalog.revision];
    if (last && seen.some((each, at) => each !== last?.[at])) bus.publish({ kind: 'tools_list_changed' });
    last = seen;
  };
  const lookOrTell = (): void =>
    void look().catch((thrown: unknown) =>
      log.warn('an MCP subscription could not read the catalogue', { error: String(thrown) }),
    );
  return {
    isIdle: () => listeners === 0,
    publish: (event) => bus.publish(event),
    subscribe(listener) {
      const leave = bus.subscribe(listener);
      listeners++;
      if (!stop) {
        lookOrTell();
        stop = timers.every(LOOK_MS, lookOrTell);
      }
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        leave();
        if (--listeners > 0) return;
        stop?.();
        stop = undefined;
        ended();
      };
    },
  };
};
