/** A client in a process of its own that makes small calls one after the other until it is told to stop. */
const [address = '', key = '', pauseMs = '0'] = process.argv.slice(2);
/** Until the client itself runs as fast as it will. */
const WARM_UP = 20;
const times: number[] = [];
let isOver = false;
process.once('message', () => (isOver = true));
for (let call = 0; !isOver; call++) {
  const started = performance.now();
  const response = await fetch(`${address}/v1/tools/hash/invoke`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ arguments: { text: String(call) } }),
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`the polite client was refused with ${response.status}`);
  if (call >= WARM_UP) times.push(performance.now() - started);
  else if (call === WARM_UP - 1) process.send?.('warm');
  if (pauseMs !== '0') await new Promise((resolve) => setTimeout(resolve, Number(pauseMs)));
}
process.send?.(times, () => process.disconnect());

export {};
