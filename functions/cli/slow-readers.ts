import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** So much of all answers may wait for clients that do not read them. */
const MOST_UNREAD = 128 * 2 ** 20;
const LOOK_MS = 1000;

interface Reader {
  unread: number;
  /** When it last took something. */
  tookAt: number;
}

/**
 * Cuts connections whose clients leave their answers unread, once these hold too much of this machine's memory: first
 * those that took nothing for the longest time, so that who is only slow keeps its answer.
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
