import { hc } from 'hono/client';
import type { AppType } from '../api/client-type.ts';
import type * as A from './answers.ts';
import { type Api, readJson } from './api.ts';
import { ApiFault, faultFromResponse } from './fault.ts';
import type { Keyring } from './keyring.ts';
import { readEvents } from './read-lines.ts';
import { pictureSender } from './send-pictures.ts';

/**
 * All requests of the console. When a key is refused, the user is asked for another one and the request is repeated.
 */
export const createClient = (keyring: Keyring) => {
  const send = async (url: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    for (;;) {
      const key = await keyring.ready();
      const response = await reach(url, withKey(key, init, keyring.tenant()));
      if (response.ok) return response;
      const fault = await faultFromResponse(response);
      if (fault.code !== 'Unauthenticated') throw fault;
      keyring.refuse(key, fault.message);
    }
  };
  const api: Api = hc<AppType>('/', { fetch: send });
  const { v1 } = api;
  const pictures = pictureSender(api);

  return {
    /** Whether a key is valid, before it is stored. */
    async check(key: string): Promise<void> {
      const fetch = (url: RequestInfo | URL, init?: RequestInit) => reach(url, withKey(key, init));
      const response: Response = await v1.tools.$get({ query: { limit: '1' } }, { fetch });
      const fault = response.ok ? undefined : await faultFromResponse(response);
      if (fault && fault.code !== 'Forbidden') throw fault;
    },
    key: () => keyring.current(),
    tenant: () => keyring.tenant(),
    /** Reloads the pages, which show data of the previous tenant. */
    actFor(tenant: string | undefined): void {
      keyring.actFor(tenant);
      location.reload();
    },
    score: pictures.score,
    map: pictures.map,
    sample: async (file: string): Promise<File> => {
      const response = await reach(`/console/samples/${file}`, {});
      if (!response.ok) throw await faultFromResponse(response);
      return new File([await response.blob()], file, { type: response.headers.get('content-type') ?? '' });
    },
    models: () => readJson(v1.iqa.models.$get({})),
    recipe: (name: string) => readJson(v1.iqa.tools[':name'].recipe.$get(path({ name }))),
    tenants: (cursor?: string) => readJson(v1.tenants.$get({ query: { cursor } })),
    iqaTools: () => readJson(v1.iqa.tools.$get({})),
    tools: (query: Words) => readJson(v1.tools.$get({ query: given(query) })),
    tool: (name: string) => readJson(v1.tools[':name'].$get(path({ name }))),
    versions: (name: string) => readJson(v1.tools[':name'].versions.$get(path({ name }))),
    checkTool: (json: A.Definition) => readJson(v1.definitions.check.$post({ json })),
    registerTool: (json: A.Definition) => readJson(v1.tools.$post({ json })),
    changeTool: (name: string, json: A.ToolChange) => readJson(v1.tools[':name'].$patch({ ...path({ name }), json })),
    removeTool: (name: string, version?: string) =>
      v1.tools[':name'].$delete({ ...path({ name }), query: { version } }),
    runs: (query: Words & { readonly status?: A.RunFilter | '' }) => readJson(v1.runs.$get({ query: given(query) })),
    grants: () => readJson(v1.grants.$get({ query: { limit: '1000' } })),
    grant: (key: string, tool: string, expires_at: string) =>
      readJson(v1.grants[':key_id'][':name'].$put({ ...path({ key_id: key, name: tool }), json: { expires_at } })),
    removeGrant: (key: string, tool: string) =>
      v1.grants[':key_id'][':name'].$delete(path({ key_id: key, name: tool })),
    stats: (name: string) => readJson(v1.tools[':name'].stats.$get(path({ name }))),
    providers: () => readJson(v1.providers.$get({})),
    definition: (provider: string, tool: string, strict: 'true' | '' = '') =>
      readJson(
        v1.providers[':provider'].tools.$get({
          ...path({ provider }),
          query: given({ allowed: tool, explain: 'true', strict }),
        }),
      ) as Promise<A.ExplainedDefinitions>,
    /** Parses the calls in a model's response, sent as it was pasted: JSON or a stream. */
    readCalls: async (provider: string, answer: string): Promise<{ readonly calls: readonly unknown[] }> =>
      (
        await send(`/v1/providers/${encodeURIComponent(provider)}/calls`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: answer,
        })
      ).json(),
    formatResults: (provider: string, results: readonly A.ModelResult[]): Promise<unknown> =>
      readJson(v1.providers[':provider'].results.$post({ ...path({ provider }), json: { results } })),
    invoke: (name: string, args: A.JsonObject, confirmation?: string) =>
      readJson(v1.tools[':name'].invoke.$post({ ...path({ name }), json: { arguments: args, confirmation } })),
    /** The price of a call, without running it. */
    price: async (name: string, args: A.JsonObject): Promise<number> => {
      const quote: unknown = await readJson(
        v1.tools[':name'].invoke.$post({ ...path({ name }), json: { arguments: args, dry_run: true } }),
      );
      return (quote as { readonly price_micros: number }).price_micros;
    },
    confirmations: () => readJson(v1.confirmations.$get({})),
    confirmation: (id: string) => readJson(v1.confirmations[':id'].$get(path({ id }))),
    confirm: (id: string, approve: boolean) => readJson(v1.confirmations.$post({ json: { id, approve } })),
    decide: (task: string, candidates?: readonly string[]) => readJson(v1.decide.$post({ json: { task, candidates } })),
    makePlan: (json: A.PlanRequest) => readJson(v1.plans.$post({ json })),
    plan: (id: string) => readJson(v1.plans[':id'].$get(path({ id }))),
    startRun: (id: string, input: unknown) =>
      readJson(v1.plans[':id'].runs.$post({ ...path({ id }), json: { input } })),
    run: (id: string) => readJson(v1.runs[':id'].$get(path({ id }))),
    confirmNode: (id: string, node: string, approve: boolean) =>
      readJson(v1.runs[':id'].nodes[':node'].confirm.$post({ ...path({ id, node }), json: { approve } })),
    cancelRun: (id: string) => readJson(v1.runs[':id'].$delete(path({ id }))),
    executions: (query: Words & { readonly status?: A.CallStatus | '' }) =>
      readJson(v1.executions.$get({ query: given(query) })),
    /** The summary now and after every call, until the signal aborts. */
    liveSummary: async function* (span: A.SummarySpan, signal: AbortSignal): AsyncGenerator<A.CallSummary> {
      const headers = { accept: 'text/event-stream' };
      const answer = await send(`/v1/summary?span=${span}`, { headers, signal });
      for await (const text of readEvents(answer)) yield JSON.parse(text) as A.CallSummary;
    },
    trace: (call: string) => readJson(v1.calls[':id'].trace.$get(path({ id: call }))),
    recommendations: (query: Words) => readJson(v1.recommendations.$get({ query: given(query) })),
    list: (kind: A.ListKind) => readJson(v1.lists[':kind'].$get({ param: { kind } })),
    putOnList: (kind: A.ListKind, name: string, reason?: string) =>
      readJson(v1.lists[':kind'][':name'].$put({ param: { kind, name: encodeURIComponent(name) }, json: { reason } })),
    takeOffList: (kind: A.ListKind, name: string) =>
      v1.lists[':kind'][':name'].$delete({ param: { kind, name: encodeURIComponent(name) } }),
    keys: () => readJson(v1.keys.$get({ query: { limit: '1000' } })),
    makeKey: (json: A.NewKey) => readJson(v1.keys.$post({ json })),
    revokeKey: (id: string) => v1.keys[':id'].$delete(path({ id })),
    usage: () => readJson(v1.usage.$get({})),
    sources: () => readJson(v1.sources.$get({})),
    addSource: (json: A.NewSource) => readJson(v1.sources.$post({ json })),
    refreshSource: (name: string) => readJson(v1.sources[':name'].refresh.$post(path({ name }))),
    approveSource: (name: string, tool: string) =>
      readJson(v1.sources[':name'].approve.$post({ ...path({ name }), json: { tools: [tool] } })),
    removeSource: (name: string) => v1.sources[':name'].$delete(path({ name })),
  };
};

export type Client = ReturnType<typeof createClient>;

type Words = Readonly<Record<string, string | undefined>>;

/** Path parameters, encoded; Hono's client does not encode them. */
const path = <Names extends Record<string, string>>(names: Names): { param: Names } => ({
  param: Object.fromEntries(Object.entries(names).map(([name, value]) => [name, encodeURIComponent(value)])) as Names,
});

/** Drops empty filters. */
const given = <Query extends Words>(query: Query): { [Name in keyof Query]?: Exclude<Query[Name], ''> } =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')) as never;

const withKey = (key: string, init: RequestInit = {}, tenant?: string): RequestInit => {
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${key}`);
  if (tenant !== undefined) headers.set('assay-tenant', tenant);
  return { ...init, headers };
};

const reach = async (url: RequestInfo | URL, init: RequestInit): Promise<Response> => {
  try {
    return await fetch(url, init);
  } catch (thrown) {
    if (init.signal?.aborted) throw new ApiFault('Cancelled', 'stopped');
    throw new ApiFault('Offline', `the server cannot be reached (${(thrown as Error).message}); check that it runs`);
  }
};
