import { type Answered, readAnswer, type WatchedServer } from './watched-server.ts';

const MCP_VERSION = '2026-07-28';

/** A realistic mix of a tenant's requests: calls, changing definitions, decisions, plans, lists and mistakes. */
export const mixedCall = async (
  server: WatchedServer,
  key: string,
  turn: number,
): Promise<readonly [string, { status: number }]> => {
  const post = (path: string, body: unknown) => server.send(path, body, { key });
  const get = (path: string) => server.send(path, undefined, { method: 'GET', key });
  const invoke = (tool: string, given: object) => post(`/v1/tools/${tool}/invoke`, { arguments: given });
  const kinds: Readonly<Record<string, () => Promise<{ status: number }>>> = {
    text: () => invoke('text_stats', { text: `turn ${turn} `.repeat(50) }),
    query: () => invoke('json_query', { data: { turn }, expression: 'turn * 2' }),
    csv: () => invoke('csv_to_json', { csv: `a,b\n${turn},2\n` }),
    mistake: () => invoke('hash', { wrong: turn }),
    decide: () => post('/v1/decide', { task: `convert ${turn} km to miles` }),
    search: () => get(`/v1/tools?q=picture ${turn % 50}`),
    register: () => post('/v1/tools', changingTool(turn)),
    remove: () => server.send(`/v1/tools/soak_${(turn - 1) % 20}`, undefined, { method: 'DELETE', key }),
    score: () => post('/v1/score', { image: { base64: PICTURE }, tools: ['entropy'] }),
    plan: () => planAndRun(post, turn),
    watch: () => watchBriefly(server, key),
    convert: () => get('/v1/providers/anthropic/tools'),
    mcp: () => listByMcp(server, key),
    summary: () => get('/v1/summary'),
    executions: () => get('/v1/executions?limit=20'),
  };
  const entries = Object.entries(kinds);
  const [kind, call] = entries[turn % entries.length] as (typeof entries)[number];
  return [kind, await call()];
};

const listByMcp = (server: WatchedServer, key: string): Promise<Answered> => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MCP_VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MCP_VERSION,
    'mcp-method': 'tools/list',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } });
  return fetch(`${server.address}/mcp`, { method: 'POST', headers, body }).then(readAnswer);
};

const planAndRun = async (
  post: (path: string, body: unknown) => ReturnType<WatchedServer['send']>,
  turn: number,
): Promise<{ status: number }> => {
  const nodes = [{ id: 'a', tool: 'hash', arguments: { text: `turn ${turn}` } }];
  const { body } = await post('/v1/plans', { nodes });
  return post(`/v1/plans/${(body as { plan_id: string }).plan_id}/runs`, {});
};

/** Opens the event stream and aborts it, as a browser does that leaves the page. */
const watchBriefly = async (server: WatchedServer, key: string): Promise<{ status: number }> => {
  const leave = new AbortController();
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
  const { status } = await fetch(`${server.address}/v1/events`, { headers, signal: leave.signal });
  leave.abort();
  return { status };
};

/** One pixel, as PNG. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const changingTool = (turn: number) => ({
  name: `soak_${turn % 20}`,
  version: `1.0.${turn}`,
  description: `Changes with turn ${turn}`,
  type: 'function',
  handler: 'soak',
  parameters: { type: 'object', properties: { [`field_${turn % 100}`]: { type: 'string' } } },
  implementation: { type: 'mock', mock_response: turn },
});
