import type * as A from './answers.ts';
import { ApiFault, readFault } from './fault.ts';
import type { Keyring } from './keyring.ts';
import { sendPictures } from './send-pictures.ts';

type Query = Readonly<Record<string, string | undefined>>;

export interface Request {
  readonly method?: string;
  readonly json?: unknown;
  readonly form?: FormData;
  readonly signal?: AbortSignal | undefined;
}

export type Send = (path: string, request?: Request) => Promise<Response>;

export interface Pictures {
  readonly image: File;
  readonly reference?: File | undefined;
  readonly tools?: readonly string[];
}

/** Every request of the console. A refused key is asked for again, and the request repeated with the new one. */
export const createClient = (keyring: Keyring) => {
  const send: Send = async (path, request = {}) => {
    for (;;) {
      const key = await keyring.ready();
      const response = await fetchWith(key, path, request);
      if (response.ok) return response;
      const fault = await readFault(response);
      if (fault.code !== 'Unauthenticated') throw fault;
      keyring.refuse(key, fault.message);
    }
  };
  const get = async <T>(path: string, query: Query = {}): Promise<T> =>
    (await send(`${path}${searchOf(query)}`)).json() as Promise<T>;
  const post = async <T>(path: string, json: unknown, method = 'POST'): Promise<T> =>
    (await send(path, { method, json })).json() as Promise<T>;
  const drop = (path: string): Promise<Response> => send(path, { method: 'DELETE' });
  const name = encodeURIComponent;

  return {
    /** Whether a key is good, before it is kept. */
    async check(key: string): Promise<void> {
      const response = await fetchWith(key, '/v1/tools?limit=1', {});
      const fault = response.ok ? undefined : await readFault(response);
      if (fault && fault.code !== 'Forbidden') throw fault;
    },
    score: async (pictures: Pictures, signal?: AbortSignal): Promise<A.Scores> =>
      (await sendPictures(send, '/v1/score', pictures, signal)).json() as Promise<A.Scores>,
    map: async (pictures: Pictures): Promise<Blob> =>
      (await sendPictures(send, '/v1/score/map?tool=ssim', pictures)).blob(),
    sample: async (file: string): Promise<File> => {
      const response = await reach(`/console/samples/${file}`, {});
      if (!response.ok) throw await readFault(response);
      return new File([await response.blob()], file, { type: response.headers.get('content-type') ?? '' });
    },
    iqaTools: () => get<{ tools: A.IqaTool[] }>('/v1/iqa/tools'),
    tools: (query: Query) => get<{ tools: A.Registration[]; next_cursor?: string }>('/v1/tools', query),
    tool: (tool: string) => get<A.Registration>(`/v1/tools/${name(tool)}`),
    versions: (tool: string) => get<A.Versions>(`/v1/tools/${name(tool)}/versions`),
    stats: (tool: string) => get<A.Stats>(`/v1/tools/${name(tool)}/stats`),
    providers: () => get<{ providers: string[] }>('/v1/providers'),
    definition: (provider: string, tool: string) =>
      get<A.Explained>(`/v1/providers/${provider}/tools`, { allowed: tool, explain: 'true' }),
    invoke: (tool: string, args: A.JsonObject, confirmation?: string) =>
      post<A.Outcome>(`/v1/tools/${name(tool)}/invoke`, {
        arguments: args,
        ...(confirmation === undefined ? {} : { confirmation }),
      }),
    confirmations: () => get<{ confirmations: A.Confirmation[] }>('/v1/confirmations'),
    confirm: (id: string, approve: boolean) => post<A.Confirmation>('/v1/confirmations', { id, approve }),
    decide: (body: { task: string; candidates?: readonly string[] }) => post<A.Decision>('/v1/decide', body),
    makePlan: (body: unknown) => post<A.Plan>('/v1/plans', body),
    planTask: (task: string) => post<A.PlannedTask | (A.PlannedTask & A.Plan)>('/v1/plans', { task }),
    startRun: (plan: string, input: unknown) =>
      post<A.RunView>(`/v1/plans/${name(plan)}/runs`, input === undefined ? {} : { input }),
    run: (id: string) => get<A.RunView>(`/v1/runs/${name(id)}`),
    confirmNode: (run: string, node: string, approve: boolean) =>
      post<A.RunView>(`/v1/runs/${name(run)}/nodes/${name(node)}/confirm`, { approve }),
    cancelRun: async (id: string): Promise<A.RunView> => (await drop(`/v1/runs/${name(id)}`)).json(),
    executions: (query: Query) => get<{ executions: A.Execution[]; next_cursor?: string }>('/v1/executions', query),
    recommendations: (query: Query) => get<{ recommendations: A.Recommendation[] }>('/v1/recommendations', query),
    list: (kind: string) => get<{ entries: A.ListEntry[] }>(`/v1/lists/${kind}`),
    putOnList: (kind: string, tool: string, reason?: string) =>
      post<A.ListEntry>(`/v1/lists/${kind}/${name(tool)}`, reason === undefined ? {} : { reason }, 'PUT'),
    takeOffList: (kind: string, tool: string) => drop(`/v1/lists/${kind}/${name(tool)}`),
    keys: () => get<{ keys: A.KeyView[] }>('/v1/keys'),
    usage: () => get<A.Usage>('/v1/usage'),
  };
};

export type Client = ReturnType<typeof createClient>;

const fetchWith = (key: string, path: string, { method, json, form, signal }: Request): Promise<Response> =>
  reach(path, {
    method: method ?? (json === undefined && form === undefined ? 'GET' : 'POST'),
    headers: {
      authorization: `Bearer ${key}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(form === undefined ? {} : { body: form }),
    ...(signal === undefined ? {} : { signal }),
  });

const reach = async (path: string, init: RequestInit): Promise<Response> => {
  try {
    return await fetch(path, init);
  } catch (thrown) {
    if (init.signal?.aborted) throw new ApiFault('Cancelled', 'stopped');
    throw new ApiFault('Offline', `the server cannot be reached (${(thrown as Error).message}); check that it runs`);
  }
};

const searchOf = (query: Query): string => {
  const given = Object.entries(query).filter((pair): pair is [string, string] => (pair[1] ?? '') !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
};
