import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** More than any client sends without waiting for answers. */
const MOST_WAITING = 100;

/**
 * Handles the requests of one connection one after the other. Node calls the listener for all requests that arrive in one
 * packet, in one turn of the event loop: hundreds of requests passed the queues that keep tenants apart.
 */
export const oneAtATime = (listener: RequestListener): RequestListener => {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    // It has its socket as soon as those before it are answered.
    if (response.socket !== null) return listener(request, response);
    const { socket } = request;
    const before = waiting.get(socket) ?? 0;
    if (before >= MOST_WAITING) {
      socket.destroy();
      return;
    }
    waiting.set(socket, before + 1);
    afterThose(response, () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      if (!socket.destroyed) listener(request, response);
    });
  };
};

/** Short answers are done at once, so without a turn of its own each request would again join those before it. */
const afterThose = (response: ServerResponse, handle: () => void): void => {
  response.once('socket', () => setImmediate(handle));
};
