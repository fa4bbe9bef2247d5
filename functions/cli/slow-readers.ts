import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The limit of all response bytes that clients have not read yet. */
const MOST_UNREAD = 128 * 2 ** 20;
const LOOK_MS = 1000;

interface Reader {
  unread: number;
  /** When the client last read something. */
  tookAt: number;
}

/**
 * Closes connections of clients that do not read their responses, once these take too much memory. Those that have read
 * nothing for the longest time are closed first, so that slow readers keep their responses.
 */
export const cutSlowReaders = (server: Server, mostUnread = MOST_UNREAD, lookMs = LOOK_MS): void => {
  const readers = new Map<Socket, Reader>();
  server.on('connection', (socket: Socket) => {
    readers.set(socket, { unread: 0, tookAt: Date.now() });
    socket.once('close', () => readers.delete(socket));
  });
  const look = (): void => {
    let total = 0;
    for (const [socket, reader] of readers) {
      if (socket.writableLength < reader.unread || reader.unread === 0) reader.tookAt = Date.now();
      reader.unread = socket.writableLength;
      total += reader.unread;
    }
    if (total <= mostUnread) return;
    const slowest = [...readers].sort(([, a], [, b]) => a.tookAt - b.tookAt || b.unread - a.unread);
    for (const [socket, { unread }] of slowest) {
      if (total <= mostUnread) return;
      if (unread === 0) continue;
      total -= unread;
      socket.destroy();
    }
  };
  const timer = setInterval(look, lookMs).unref();
  server.once('close', () => clearInterval(timer));
};
