import { callStreaming, lambdaContext, loadHandler } from '../../support/lambda.ts';

/** Starts a bundle as a new environment does, sends it one event and prints the milliseconds since the process began, by the clock and of the processor. */
const [folder = '', mode = '', event = '{}'] = process.argv.slice(2);
type Handler = (event: unknown, context: unknown) => Promise<unknown>;
// What the function logs must not mix with the figure.
process.stdout.write = (() => true) as typeof process.stdout.write;
const handler = await loadHandler<Handler>(folder);
const ready = performance.now();
if (mode === 'stream') await callStreaming(handler as Parameters<typeof callStreaming>[0], JSON.parse(event));
else await Promise.resolve(handler(JSON.parse(event), lambdaContext())).catch(() => {});
const { user, system } = process.cpuUsage();
process.stderr.write(JSON.stringify({ ready, answered: performance.now(), processor: (user + system) / 1000 }));
process.exit(0);
