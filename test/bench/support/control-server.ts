import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A bare server that never changes, in a separate process: its latency grows only with the machine's load. As in the
 * product, a call does a little work, and an occasional turn of the event loop takes longer. The work uses memory and
 * caches, as the product's does, but no compiled JavaScript, which gets faster over time.
 */
const TEXT = JSON.stringify(Array.from({ length: 1000 }, (_, n) => ({ id: n, name: `name ${n}`, tags: ['a', n / 7] })));
const LONG_TURN_EVERY_MS = 250;
const LONG_TURN = 25;

const work = (times: number): void => {
  for (let time = 0; time < times; time++) JSON.stringify(JSON.parse(TEXT));
};
setInterval(() => work(LONG_TURN), LONG_TURN_EVERY_MS);
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    work(1);
    response.end('{}');
  });
});
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.once('disconnect', () => process.exit());
