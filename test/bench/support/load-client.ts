import { connect } from 'node:net';

/** Requests one path repeatedly over a few keep-alive connections and prints the number of answers. */
const [port = '0', path = '/', milliseconds = '1000', connections = '32', key = '', body = '', more = ''] =
  process.argv.slice(2);
const authorization = key === '' ? '' : `authorization: Bearer ${key}\r\n`;
const content = body === '' ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
const method = body === '' ? 'GET' : 'POST';
const request = Buffer.from(
  `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${authorization}${more}${content}\r\n${body}`,
);
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');
const END = Buffer.from('\r\n\r\n');

let answered = 0;
let failed = 0;
const ask = (): void => {
  const socket = connect(Number(port), '127.0.0.1');
  let rest = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('connect', () => socket.write(request));
  socket.on('error', () => failed++);
  socket.on('data', (data) => {
    rest = rest.length === 0 ? data : Buffer.concat([rest, data]);
    const head = rest.indexOf(END);
    if (head < 0) return;
    const text = rest.toString('latin1', 0, head);
    const end = endOf(rest, head, text);
    if (end < 0 || rest.length < end) return;
    rest = rest.subarray(end);
    if (text.startsWith('HTTP/1.1 200')) answered++;
    else failed++;
    socket.write(request);
  });
};

/** The offset of an answer's end; -1 until its last chunk has arrived. */
const endOf = (rest: Buffer, head: number, text: string): number => {
  if (!/transfer-encoding: chunked/i.test(text))
    return head + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  const last = rest.indexOf(LAST_CHUNK, head + 2);
  return last < 0 ? -1 : last + LAST_CHUNK.length;
};

for (let count = 0; count < Number(connections); count++) ask();
setTimeout(() => {
  console.log(JSON.stringify({ answered, failed }));
  process.exit(0);
}, Number(milliseconds));
