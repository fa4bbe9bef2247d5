import { Fault, messageOf } from '../../kernel/errors.ts';
import type { SafeFetch } from '../../kernel/safe-fetch.ts';
import { hideSecrets, type SentCredentials } from '../send-credentials.ts';
import type { Upstream, UpstreamProblem, UpstreamTool, UpstreamTools } from '../upstream.ts';
import { buildRequest } from './build-request.ts';
import { readDocument, unusable } from './document.ts';
import { type Inputs, mergeInputs } from './inputs.ts';
import { listOperations, type Operation } from './operations.ts';
import { readOutput } from './read-output.ts';

export interface OpenApiSource {
  /** The address of the document, or of the API itself when the document is uploaded. */
  readonly url: string;
  readonly document?: (() => Promise<string | undefined>) | undefined;
  readonly fetch: SafeFetch;
  /** Read for every request, because a secret may have been replaced. */
  readonly credentials: () => Promise<SentCredentials>;
}

const DOCUMENT_LIMITS = { timeoutMs: 20_000, maxBytes: 16 * 1024 * 1024 };
/** An upper bound: each call has a shorter timeout of its own. */
const CALL_LIMITS = { timeoutMs: 910_000, maxBytes: 16 * 1024 * 1024 };

interface Callable {
  readonly operation: Operation;
  readonly inputs: Inputs;
}

/** An API described by its OpenAPI document: one tool per operation. */
export const openApiUpstream = (source: OpenApiSource): Upstream => {
  const url = new URL(source.url);
  let callable: ReadonlyMap<string, Callable> | undefined;

  const load = async (signal: AbortSignal): Promise<UpstreamTools> => {
    const given = await source.document?.();
    const text = given ?? (await fetchDocument(source, signal));
    // Without `servers`, a fetched document describes the root of its host; an uploaded one, the url given with it.
    const servers = [{ url: given === undefined ? '/' : '' }];
    const { tools, problems, found } = readTools(text, url, servers);
    callable = found;
    return { tools, problems };
  };

  return {
    list: load,
    async call(tool, args, { signal }) {
      if (!callable) await load(signal);
      const found = callable?.get(tool);
      if (!found) throw new Fault('NotFound', `the source no longer has the operation ${tool}`, { tool });
      const sent = await source.credentials();
      const { url: address, init } = buildRequest(found.operation, found.inputs, args, sent);
      const response = await source.fetch(address, { ...init, signal }, CALL_LIMITS);
      return readOutput(response, found.operation, sent);
    },
  };
};

const fetchDocument = async ({ url, fetch, credentials }: OpenApiSource, signal: AbortSignal): Promise<string> => {
  const sent = await credentials();
  const address = new URL(url);
  for (const [name, value] of Object.entries(sent.query)) address.searchParams.set(name, value);
  const headers = { accept: 'application/json', ...sent.headers };
  const response = await fetch(address, { headers, signal }, DOCUMENT_LIMITS);
  const text = await response.text();
  if (response.ok) return text;
  throw new Fault(
    'Unavailable',
    `the OpenAPI document cannot be fetched: ${address.host} answered ${response.status} ${hideSecrets(text, sent).slice(0, 200)}`,
    { status: response.status },
  );
};

interface ReadTools extends UpstreamTools {
  readonly found: ReadonlyMap<string, Callable>;
}

/** The tools of a document's text. */
const readTools = (text: string, url: URL, servers: readonly unknown[]): ReadTools => {
  const read = readDocument(text);
  const document = { ...read, root: { servers, ...read.root } };
  const { operations, problems } = listOperations(document, url);
  const found = new Map<string, Callable>();
  const tools: UpstreamTool[] = [];
  const more: UpstreamProblem[] = [];
  for (const operation of operations) {
    try {
      const inputs = mergeInputs(document, operation);
      found.set(operation.name, { operation, inputs });
      tools.push(toTool(operation, inputs));
    } catch (error) {
      more.push({ tool: operation.name, reason: messageOf(error).slice(0, 500) });
    }
  }
  const [first] = [...problems, ...more];
  if (tools.length === 0 && first) throw unusable(first.reason);
  return { tools, problems: [...problems, ...more], found };
};

const toTool = ({ name, title, description, method, path }: Operation, { parameters }: Inputs): UpstreamTool => ({
  name,
  title,
  description: description || `${method} ${path}`,
  parameters,
  annotations: {
    readOnlyHint: method === 'GET' || method === 'HEAD' || method === 'OPTIONS',
    destructiveHint: method === 'DELETE',
    idempotentHint: method === 'PUT' || method === 'DELETE',
  },
});
