import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
} from '@modelcontextprotocol/server';

/** The names by which this server may be asked for, beside those it can tell by itself. */
export interface McpNames {
  readonly hosts?: readonly string[];
  /** Hosts of web pages that may speak to it. */
  readonly origins?: readonly string[];
  /** Whether streams stay open to tell of changes; a function that is paid by the millisecond ends them at once. */
  readonly holdsStreams?: boolean;
}

/**
 * Refuses what a web page of another site may have sent by making its name point here (DNS rebinding). A request
 * over the loopback must name the loopback, and a page may only speak to the host it came from.
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

/** Whether the connection ended at this machine's own address, as the local server tells; the cloud has no socket. */
export const cameOverLoopback = (env: unknown): boolean => {
  const { incoming } = (env ?? {}) as { incoming?: { socket?: { localAddress?: string } } };
  const address = incoming?.socket?.localAddress ?? '';
  return address === '::1' || /^(::ffff:)?127\./.test(address);
};
