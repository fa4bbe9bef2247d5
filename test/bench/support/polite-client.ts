/**
 * A client in a separate process that makes small calls one after another until it is told to stop. If there is a
 * control server, each call is followed by one to it, so that both see the same load on the machine.
 */
const [address = '', key = '', pauseMs = '0', control = ''] = process.argv.slice(2);
/** Calls that are not measured, while the client's own code is compiled. */
const WARM_UP = 20;
const waited: Readonly<Record<'product' | 'control', number[]>> = { product: [], control: [] };
let isOver = false;
process.once('message', () => (isOver = true));

const ask = async (url: string, call: number): Promise<number> => {
  const started = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ arguments: { text: String(call) } }),
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`the polite client was refused with ${response.status}`);
  return performance.now() - started;
};

for (let call = 0; !isOver; call++) {
  const product = await ask(`${address}/v1/tools/hash/invoke`, call);
  const other = control === '' ? undefined : await ask(control, call);
  if (call >= WARM_UP) {
    waited.product.push(product);
    if (other !== undefined) waited.control.push(other);
  } else if (call === WARM_UP - 1) process.send?.('warm');
  if (pauseMs !== '0') await new Promise((resolve) => setTimeout(resolve, Number(pauseMs)));
}
process.send?.(waited, () => process.disconnect());

export {};
