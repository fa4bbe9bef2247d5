import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Attack } from './attacks.ts';
import { type Answered, readAnswer, type WatchedServer } from './watched-server.ts';

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const nothing: readonly Answered[] = [];

/** Opens connections that write a text at once and read nothing for three seconds. */
const unread = async (server: WatchedServer, count: number, text: string): Promise<readonly Answered[]> => {
  const { hostname, port } = new URL(server.address);
  const sockets = upTo(count).map(() => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.pause();
    socket.write(text);
    return socket;
  });
  await wait(3000);
  for (const socket of sockets) socket.destroy();
  return nothing;
};

/** A form of 2 MB made of small fields only. */
const manyParts: Attack = (server, key) => {
  const field = (n: number) => `--x\r\nContent-Disposition: form-data; name="a${n}"\r\n\r\n1\r\n`;
  const body = `${upTo(40_000).map(field).join('')}--x--\r\n`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=x' };
  const post = () => fetch(`${server.address}/v1/score`, { method: 'POST', headers, body }).then(readAnswer);
  return Promise.all(upTo(8).map(post));
};

const COUNT = 150;
/** A definition of 60,000 characters, which is within the limit for one tool. */
const large = (name: string) => {
  const field = (n: number) => [`field_${n}`, { type: 'string', description: 'word '.repeat(1000) }];
  const properties = Object.fromEntries(upTo(12).map(field));
  const implementation = { type: 'mock', mock_response: 1 };
  return {
    name,
    description: 'Large',
    type: 'function',
    handler: name,
    implementation,
    parameters: { type: 'object', properties },
  };
};

const storeLarge: Attack = async (server, key) => {
  for (const n of upTo(COUNT)) await server.send('/v1/tools', large(`large_${n}`), { key });
  return nothing;
};

/** Reads ten megabytes of definitions in every way, eight requests at a time. */
const readLarge: Attack = async (server, key) => {
  const told: Answered[] = [];
  for (const path of ['/v1/snapshot', '/v1/tools?limit=1000', '/v1/tools?q=word', '/v1/providers/openai/tools'])
    told.push(...(await Promise.all(upTo(8).map(() => server.send(path, undefined, { method: 'GET', key })))));
  return told;
};

const removeLarge: Attack = async (server, key) => {
  for (const n of upTo(COUNT)) await server.send(`/v1/tools/large_${n}`, undefined, { method: 'DELETE', key });
  return nothing;
};

/** Runs before and after an attack, outside the measurement. */
export const around: Readonly<Record<string, { readonly before: Attack; readonly after: Attack }>> = {
  'definitions of 10 MB x 8': { before: storeLarge, after: removeLarge },
};

/** Attacks through the way requests are sent, or through what a tenant has stored. */
export const connectionAttacks: Readonly<Record<string, Attack>> = {
  'lists that are not read x 40,000': (server, key) => {
    const request = `GET /v1/tools?limit=1000 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    return unread(server, 20, request.repeat(2000));
  },
  'unfinished bodies x 1,000': (server, key) => {
    const head = `POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
    return unread(server, 1000, `${head}Content-Length: 65000\r\n\r\n${'a'.repeat(64_000)}`);
  },
  'form of 40,000 parts x 8': manyParts,
  'definitions of 10 MB x 8': readLarge,
};
