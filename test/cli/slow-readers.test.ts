import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, test } from 'node:test';
import { cutSlowReaders } from '../../functions/cli/slow-readers.ts';

describe('clients that do not read', () => {
  test('X.07 connections that leave too much of their answers unread are closed, and slow readers are not', async (t) => {
    const answer = Buffer.alloc(8 * 2 ** 20, 'a');
    const server = createServer((_, response) => void response.end(answer));
    cutSlowReaders(server, 2 * answer.length, 20);
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ended = { count: 0 };
    const open = Array.from({ length: 6 }, () => {
      const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'));
      socket.pause();
      return socket;
    });
    server.on('connection', (socket) => socket.once('close', () => ended.count++));

    // Two answers are as much as may wait.
    while (ended.count < 4) await new Promise((resolve) => setTimeout(resolve, 10));

    const text = await (await fetch(`http://127.0.0.1:${port}`)).text();
    assert.equal(text.length, answer.length, 'who reads gets all of it');
    for (const socket of open) socket.destroy();
  });
});
