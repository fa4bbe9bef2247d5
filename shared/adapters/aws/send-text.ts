import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Limits {
  /** For the connection. */
  readonly connectMs: number;
  /** From the request to the end of the response. */
  readonly answerMs: number;
}

interface Sent {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Path and query, if they differ from those of the address. */
  readonly path?: string;
}

/** A function may have 1,024 files open; more requests than this wait for a connection, as with the SDK. */
const MOST_CONNECTIONS = 50;

export type SendText = (request: Sent) => Promise<Answered>;

/**
 * Sends texts to one address over keep-alive connections. Uses Node's own client, because `fetch` closes a connection
 * after four idle seconds and has no separate timeout for connecting.
 */
export const sendText = (url: URL, { connectMs, answerMs }: Limits): SendText => {
  const isPlain = url.protocol === 'http:';
  const kept = { keepAlive: true, maxSockets: MOST_CONNECTIONS };
  const agent = isPlain ? new HttpAgent(kept) : new HttpsAgent(kept);
  const open = isPlain ? httpRequest : httpsRequest;
  return ({ body, path = url.pathname, ...sent }) =>
    new Promise((resolve, reject) => {
      const request = open(url, { ...sent, path, agent }, (response) => void read(response));
      const late = (what: string, ms: number) => () => request.destroy(timeout(`${what} took over ${ms} ms`));
      let connecting: NodeJS.Timeout | undefined;
      const answering = setTimeout(late('the answer', answerMs), answerMs);
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(connecting);
          clearTimeout(answering);
          settle(value);
        };
      const read = async (response: IncomingMessage): Promise<void> => {
        try {
          const answer = await text(response);
          settled(resolve)({ status: response.statusCode ?? 0, headers: response.headers, text: answer });
        } catch (thrown) {
          settled(reject)(thrown);
        }
      };
      request.on('socket', (socket) => {
        if (!socket.connecting) return;
        connecting = setTimeout(late('the connection', connectMs), connectMs);
        socket.once(isPlain ? 'connect' : 'secureConnect', () => clearTimeout(connecting));
      });
      request.on('error', settled(reject));
      request.end(body);
    });
};

const timeout = (message: string): Error => Object.assign(new Error(message), { name: 'TimeoutError' });
