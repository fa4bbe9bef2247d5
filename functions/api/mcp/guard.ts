import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
} from '@modelcontextprotocol/server';

/** The names under which this server is reached, besides those it knows. */
export interface McpNames {
  readonly hosts?: readonly string[];
  /** Hosts of web pages that may call it. */
  readonly origins?: readonly string[];
  /** Whether streams stay open to report changes; on Lambda, which is billed by the millisecond, they end at once. */
  readonly holdsStreams?: boolean;
}

/**
 * Refuses requests that a web page of another site may have sent by DNS rebinding: a request over the loopback must
 * name the loopback as host, and a page may only call the host it came from.
 */
export const refuseRebinding = (request: Request, isLoopback: boolean, names: McpNames = {}): Response | undefined => {
  const local = localhostAllowedHostnames();
  const host = new URL(request.url).hostname;
  const hosts = names.hosts ?? [];
  const refused = isLoopback ? hostHeaderValidationResponse(request, [...local, ...hosts]) : undefined;
  if (refused) return refused;
  const own = local.includes(host) ? local : [host];
  return originValidationResponse(request, [...own, ...hosts, ...(names.origins ?? [])]);
};

/** Whether the connection came over the loopback; only the local server has the socket to tell. */
export const cameOverLoopback = (env: unknown): boolean => {
  const { incoming } = (env ?? {}) as { incoming?: { socket?: { localAddress?: string } } };
  const address = incoming?.socket?.localAddress ?? '';
  return address === '::1' || /^(::ffff:)?127\./.test(address);
};
